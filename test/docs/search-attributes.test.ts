import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as searchAttributes from '../../workflows/search-attributes.ts';

test('the guide to Temporal Cloud names every search attribute', () => {
  const guide = readFileSync('docs/guides/run-temporal.md', 'utf8');
  const names = Object.values(searchAttributes).map(({ name }) => name);
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  expect(names.length).toBeGreaterThan(5);
});
