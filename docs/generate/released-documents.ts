import { openApiDocuments } from '../../src/openapi/both-documents.ts';

/** No deployment's address: tools put in that of theirs. */
const { partner, merchant } = openApiDocuments('https://voucher-service.invalid');

/** The OpenAPI documents of the last release, by their files: what integrators rely on. */
export const releasedDocuments: Readonly<Record<string, () => string>> = {
  'docs/released/partner.openapi.json': () => `${JSON.stringify(partner, null, 1)}\n`,
  'docs/released/merchant.openapi.json': () => `${JSON.stringify(merchant, null, 1)}\n`,
};
