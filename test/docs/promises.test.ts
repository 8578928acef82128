import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the table of promises names tests that are there', () => {
  const page = readFileSync('docs/internals/promises.md', 'utf8');
  const named = [...page.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) =>
    file.startsWith('test/') ? file : `test/end-to-end/${file}`,
  );
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});
