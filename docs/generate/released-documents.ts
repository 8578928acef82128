import { openApiDocuments } from '../../src/openapi/both-documents.ts';

/** No deployment's address: tools put in that of theirs. */
const { partner, merchant } = openApiDocuments('https://voucher-service.invalid');

/** The OpenAPI documents of the last release, by their files: what integrators rely on. */
export const releasedDocuments: Readonly<Record<string, () => string>> = {
  'docs/released/partner.openapi.json': () => released(partner),
  'docs/released/merchant.openapi.json': () => released(merchant),
};

const released = (document: object) => `${JSON.stringify(withoutTexts(document), null, 1)}\n`;

/** Nothing of a client breaks where they change. */
const texts = ['summary', 'example', 'examples'];

/**
 * A part of a document without texts and examples.
 *
 * @param isOfFields it has the fields of a schema, which may have those names
 */
function withoutTexts(part: unknown, isOfFields = false): unknown {
  if (Array.isArray(part)) return part.map((item) => withoutTexts(item));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key]) => isOfFields || !texts.includes(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      // An answer must have a description.
      key === 'description' && !isOfFields
        ? ''
        : withoutTexts(value, key === 'properties' && !isOfFields),
    ]),
  );
}
