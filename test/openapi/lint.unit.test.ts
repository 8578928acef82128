import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { OperationObject } from 'openapi3-ts/oas31';
import { expect, it } from 'vitest';
import { openApiDocuments } from '../../src/openapi/both-documents.ts';

it.each(Object.entries(openApiDocuments('https://api.voucher.test')))(
  'the linter finds nothing wrong with the document of the %s API',
  async (_name, document) => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // The service is not licensed to those who read its description.
      rules: { 'info-license': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    const found = problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
    );
    expect(found).toEqual([]);
  },
);

it.each<[rule: string, spoil: (operation: OperationObject) => void]>([
  ['operation-operationId', (operation) => delete operation.operationId],
  [
    'no-invalid-media-type-examples',
    ({ responses }) =>
      Object.assign(responses?.['200'].content['application/json'].example, { test: 1 }),
  ],
])('the linter finds what is wrong: %s', async (rule, spoil) => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const document = structuredClone(openApiDocuments('https://api.voucher.test').merchant);
  spoil(document.paths?.['/test']?.post ?? {});
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId }) => ruleId)).toContain(rule);
});
