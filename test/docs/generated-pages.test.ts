import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clientMethods, snake } from '../../docs/generate/clients/method-tables.ts';
import { generatedPages } from '../../docs/generate/generated-pages.ts';
import { callbackRoutes } from '../../src/callbacks/routes.ts';
import { constantNames } from '../../src/config/config.ts';
import { reasons } from '../../src/domain/reasons.ts';
import { tokenKeyRoutes } from '../../src/http/access/token-keys.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { portalSite } from '../../src/pages/portal/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';

const read = (file: string) => readFileSync(file, 'utf8');

test.each(Object.entries(generatedPages))('%s is as "npm run docs" writes it', (file, make) => {
  expect(read(file)).toBe(make());
});

test('npm run docs writes every file of the Bruno collections', () => {
  const folder = 'clients/bruno';
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .filter((file) => file !== `${folder}/README.md`);
  const generated = Object.keys(generatedPages).filter((file) => file.startsWith(`${folder}/`));
  expect(files.toSorted()).toEqual(generated.sort());
});

test('the client for Python has every method of its table', () => {
  const folder = 'clients/python/src/voucher_topup';
  const sources = ['partner_client', 'merchant_client', 'events'].map((name) =>
    read(`${folder}/${name}.py`),
  );
  const isThere = (text: string) => sources.some((source) => source.includes(text));
  const missing = clientMethods.flatMap(({ group, methods }) => [
    ...(group === '' || isThere(`self.${snake(group)}`) ? [] : [group]),
    ...methods.filter((name) => !isThere(`def ${snake(name)}(`)),
  ]);
  expect(clientMethods.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

/** What stands in backticks in the first cells of a text's tables. */
const namesIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, name = '']) => name);

test('the page of settings names every setting of src/config/, once', () => {
  const declared = readdirSync('src/config', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => read(`src/config/${file}`))
    .flatMap((text) => [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)])
    .map(([, name = '']) => name)
    .filter((name) => !constantNames.has(name));
  expect(declared.length).toBeGreaterThan(100);
  expect(namesIn(read('docs/reference/settings.md')).toSorted()).toEqual(
    [...new Set(declared)].sort(),
  );
});

test('the page of errors names every reason', () => {
  const page = read('docs/reference/errors.md');
  expect(Object.keys(reasons).filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
});

interface NamedRoute {
  readonly method: string;
  readonly path: string;
  readonly aliases?: readonly string[];
}

const routesOf = (endpoints: readonly NamedRoute[]): string[] =>
  endpoints.flatMap(({ method, path, aliases = [] }) =>
    [path || '/', ...aliases].map((one) => `${method} ${one}`),
  );

describe('the page of endpoints names every route, once:', () => {
  const sections = read('docs/reference/endpoints.md').split(/^## /m);

  test.each([partnerRoutes, merchantRoutes, tokenKeyRoutes, callbackRoutes])(
    '$basePath',
    ({ basePath, endpoints }) => {
      const section = sections.find((text) => text.split('\n')[0]?.endsWith(`\`${basePath}\``));
      const [overview = ''] = (section ?? '').split(/^### /m);
      expect(namesIn(overview).toSorted()).toEqual(routesOf(endpoints).sort());
    },
  );
});

test('the page of the portal names every route, once', () => {
  const named = namesIn(read('docs/reference/portal-pages.md'));
  expect(named.toSorted()).toEqual(routesOf(portalSite.pages).sort());
});
