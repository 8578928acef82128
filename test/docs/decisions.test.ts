import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const records = readdirSync('docs/decisions').filter((name) => name !== 'README.md');
const index = readFileSync('docs/decisions/README.md', 'utf8');

test.each(records)('%s is a short record, and the index has its title', (name) => {
  const text = readFileSync(`docs/decisions/${name}`, 'utf8');
  expect(name).toMatch(/^[0-9]{4}-[a-z0-9-]+\.md$/);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  const [, number, title] =
    /^# ([0-9]+)\. (.+)\n\n[^#\n][\s\S]+\n\n## Why\n\n[\s\S]+\n\n## What follows\n\n/.exec(text) ??
    [];
  expect(number).toBe(String(Number(name.slice(0, 4))));
  expect(index.split('\n')).toContain(`- ${number}. [${title}](${name})`);
});

test('records are numbered without gaps', () => {
  expect(records.map((name) => Number(name.slice(0, 4))).toSorted((a, b) => a - b)).toEqual(
    records.map((_name, position) => position + 1),
  );
});

test('the index names no record that is gone', () => {
  const named = [...index.matchAll(/\]\(([0-9]{4}-[^)]+)\)/g)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(records.toSorted());
});
