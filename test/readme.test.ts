import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { callbackRoutes } from '../src/callbacks/routes.js';
import { tokenKeyRoutes } from '../src/http/access/token-keys.js';
import { merchantRoutes } from '../src/merchant/routes.js';
import { partnerRoutes } from '../src/partner/routes.js';
import { pages } from '../src/portal/routes.js';

const readme = readFileSync('README.md', 'utf8');
/** Where settings are declared, and after them where they are taken over. */
const config = [
  'src/config/api-settings.ts',
  'src/config/secret-settings.ts',
  'src/config/service-settings.ts',
  'src/config/temporal-settings.ts',
  'src/config/start-settings.ts',
  'src/config/codec-settings.ts',
  'src/config/config.ts',
]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** The text below a heading, up to the next heading. */
function section(heading: string): string {
  const [, after] = readme.split(`${heading}\n`);
  if (after === undefined) throw new Error(`The README has no heading "${heading}"`);
  return after.split(/^#/m)[0] ?? '';
}

/** The cells of the tables in a text, without the heads. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

describe('the table of settings', () => {
  const declared = new Map(
    [...config.matchAll(/^ {2}([A-Z][A-Z0-9_]+): (.*)$/gm)]
      // The first is the declaration; others take it over.
      .reverse()
      .map(([, name = '', schema = '']) => [name, schema]),
  );
  const rows = rowsOf(section('## Settings'));

  test('names every setting of src/config/, once', () => {
    const named = rows.map(([, name = '']) => name.replaceAll('`', ''));
    expect(named.toSorted()).toEqual([...declared.keys()].sort());
  });

  test.each(rows)('%s%s has the default %s', (_empty, name = '', shown = '') => {
    const schema = declared.get(name.replaceAll('`', '')) ?? '';
    const [, text] = /\.default\('?([^')]*)'?\)/.exec(schema) ?? [];
    if (text) expect(shown).toBe(`\`${text.replaceAll('_', '')}\``);
    else expect(shown).not.toMatch(/^`\d/);
  });
});

interface NamedRoutes {
  readonly basePath: string;
  readonly endpoints: readonly {
    readonly method: string;
    readonly path: string;
    readonly aliases?: readonly string[];
  }[];
}

const portalRoutes: NamedRoutes = {
  basePath: '/portal',
  endpoints: pages.map(({ method, path }) => ({ method, path: path || '/' })),
};

test.each<[string, NamedRoutes]>([
  ['### Partner API, below `/api/v1/client`', partnerRoutes],
  ['### Merchant API, below `/api/v1/merchant/client`', merchantRoutes],
  ['### Public keys of access tokens, below `/.well-known`', tokenKeyRoutes],
  ['### Provider callbacks, below `/callbacks`', callbackRoutes],
  ['### Portal, below `/portal`', portalRoutes],
])('%s names every route, once', (heading, { basePath, endpoints }) => {
  expect(heading).toContain(basePath);
  const named = rowsOf(section(heading)).flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, route]) => route),
  );
  const actual = endpoints.flatMap(({ method, path, aliases = [] }) =>
    [path, ...aliases].map((one) => `${method} ${one}`),
  );
  expect(named.toSorted()).toEqual(actual.sort());
});

test('every file that the README names is there', () => {
  const named = [
    ...readme.matchAll(/`((?:src|workflows|activities|migrations|test|bench)\/[^`]+)`/g),
  ].map(([, file = '']) => file);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
  expect(named.length).toBeGreaterThan(50);
});

test('the table of promises names tests that are there', () => {
  const proofs = section('### What is promised, and proven by which test');
  const named = [...proofs.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) =>
    file.startsWith('test/') ? file : `test/end-to-end/${file}`,
  );
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});
