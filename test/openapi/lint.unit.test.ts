import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { openApiDocuments } from '../../src/openapi/both-documents.js';

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

it('the linter finds what is wrong', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const document = structuredClone(openApiDocuments('https://api.voucher.test').merchant);
  delete document.paths?.['/test']?.post?.operationId;
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId }) => ruleId)).toContain('operation-operationId');
});
