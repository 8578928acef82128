import { block, bru, list } from './bruno-format.ts';
import { brunoRequests } from './bruno-requests.ts';
import {
  type ClientOperation,
  type ClientSurface,
  clientDocument,
  clientOperations,
  clientRoutes,
} from './client-operations.ts';

/** Before the others: their answers name what the others ask for. */
const FIRST = ['Access', 'Lists'];

/** `clients/bruno/<surface>`: every file of the collection, by its path. */
export function brunoCollection(surface: ClientSurface): Record<string, () => string> {
  const root = `clients/bruno/${surface}`;
  const { info, tags = [] } = clientDocument(surface);
  const folders = tags.toSorted((one, other) => rankOf(one.name) - rankOf(other.name));
  const operations = clientOperations(surface);
  return {
    [`${root}/bruno.json`]: () =>
      `${JSON.stringify({ version: '1', name: info.title, type: 'collection' }, undefined, 2)}\n`,
    [`${root}/collection.bru`]: () =>
      bru(
        ...(surface === 'merchant' ? [block('script:pre-request', SIGN)] : []),
        block('docs', info.description ?? ''),
      ),
    [`${root}/environments/test.bru`]: () => environment(surface),
    ...Object.assign(
      {},
      ...folders.map(({ name, description = '' }, index) => ({
        [`${root}/${folderOf(name)}/folder.bru`]: () =>
          bru(block('meta', `name: ${name}\nseq: ${index + 1}`), block('docs', `${description}`)),
        ...requestsOf(
          surface,
          `${root}/${folderOf(name)}`,
          operations.filter(({ tag }) => tag === name),
        ),
      })),
    ),
  };
}

function rankOf(tag: string): number {
  const rank = FIRST.indexOf(tag);
  return rank < 0 ? FIRST.length : rank;
}

const folderOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

const requestsOf = (
  surface: ClientSurface,
  folder: string,
  operations: readonly ClientOperation[],
): Record<string, () => string> =>
  Object.fromEntries(
    operations
      .flatMap((operation) => brunoRequests(surface, operation))
      .map(({ file, text }, index) => [`${folder}/${file}`, () => text(index + 1)]),
  );

/** The variables of the test environment; Bruno keeps the values of the secret ones out of the file. */
function environment(surface: ClientSurface): string {
  const variables = {
    baseUrl: `http://localhost:3000${clientRoutes[surface].basePath}`,
    sandboxUrl: 'http://localhost:3001',
    msisdn: '+251911234567',
    ...(surface === 'merchant' ? { voucherCode: '' } : {}),
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}: ${value}`.trimEnd());
  return bru(
    block('vars', lines.join('\n')),
    list('vars:secret', surface === 'merchant' ? ['apiKey', 'privateKey'] : ['apiKey']),
  );
}

/** Signs the bytes that are sent, so that nothing may change them afterwards. */
const SIGN = `// Signs what has the header x-signature. It needs the developer mode of the sandbox.
if (req.getHeader('x-signature')) {
  const { createPrivateKey, sign } = require('crypto');
  const pem = bru.getEnvVar('privateKey').replaceAll('\\\\n', '\\n');
  const body = bru.interpolate(req.getBody({ raw: true }));
  const message = new Date().toISOString();
  const signed = Buffer.from(\`\${body}\\n\${message}\`);
  const signature = sign('sha256', signed, createPrivateKey(pem)).toString('base64');
  req.setBody(body, { raw: true });
  // Two characters, a backslash and the letter n, stand between signature and message.
  bru.setVar('signature', \`\${signature}\\\\n\${message}\`);
}`;
