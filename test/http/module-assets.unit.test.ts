import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { importedAssets, ownAssets } from '../../src/docs-site/layout.ts';
import { readModules } from '../../src/http/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'modules-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('imports, of one line or several, name assets; comments and other text stay', () => {
  writeFileSync(join(folder, 'a.js'), 'export const a = 1;\n');
  const text =
    "// import { a } from './none.js'\nimport {\n  a,\n} from './a.js';\nexport { a } from \"./a.js\";\n" +
    "const b = 'from nowhere';\n";
  writeFileSync(join(folder, 'entry.js'), text);
  const [entry, ...others] = readModules(join(folder, 'entry.js'), '/pages');
  const path = others.find(({ content }) => content.includes('const a = 1'))?.path;
  expect(path).toMatch(/^\/pages\/assets\/a\.[0-9a-f]{16}\.js$/);
  expect(entry.content.toString()).toBe(
    text.replace("from './a.js'", `from '${path}'`).replace('"./a.js"', `'${path}'`),
  );
});

test('the module that signs imports nothing but assets of the site', () => {
  const modules = [ownAssets.signModule, ...importedAssets];
  const paths = new Set(modules.map(({ path }) => path));
  const imports = modules.flatMap(({ content }) =>
    [...content.toString().matchAll(/^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)/gm)].map(
      ([, name = '']) => name,
    ),
  );
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter((name) => !paths.has(name))).toEqual([]);
});
