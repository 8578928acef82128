import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocuments } from '../../src/openapi/both-documents.ts';
import { call } from '../support/clients.ts';
import { type Stack, startStack } from '../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    PUBLIC_URL: 'https://vouchers.test',
    SECURITY_CONTACT: 'mailto:security@vouchers.test',
  });
});
afterAll(() => stack.stop());

it.each(['partner', 'merchant'] as const)('serves the document of the %s API', async (name) => {
  const url = `${stack.url}/docs/${name}/openapi.json`;
  const { status, headers, body } = await call(url);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocuments('https://vouchers.test')[name])));

  const again = await call(url, { headers: { 'If-None-Match': String(headers.get('etag')) } });
  expect(again.status).toBe(304);
});

it('answers only GET and HEAD', async () => {
  const url = `${stack.url}/docs/partner/openapi.json`;
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  const { status, headers } = await fetch(url, { method: 'POST' });
  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('HEAD, GET');
});

it('a document of no API is not found', async () => {
  expect((await fetch(`${stack.url}/docs/other/openapi.json`)).status).toBe(404);
});

it('a refusal leads to the explanation of its reason', async () => {
  const { headers } = await call(`${stack.url}/api/v1/merchant/client/test`, { body: {} });
  expect(headers.get('link')).toBe(
    '<https://vouchers.test/docs/errors#merchant-401-token-invalid>; rel="help"',
  );
});

it('names the contact for weaknesses', async () => {
  const url = `${stack.url}/.well-known/security.txt`;
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await response.text();
  expect(text).toMatch(/^Contact: mailto:security@vouchers.test\nExpires: \d{4}-/);
  expect(text).toContain('\nCanonical: https://vouchers.test/.well-known/security.txt\n');
});
