import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const records = readdirSync('docs/decisions').filter((name) => name !== 'README.md');

test.each(records)('%s is a short, dated record', (name) => {
  const text = readFileSync(`docs/decisions/${name}`, 'utf8');
  expect(name).toMatch(/^[0-9]{4}-[a-z0-9-]+\.md$/);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect(text).toMatch(
    /^# [0-9]+\. .+\n\nDate: \d{4}-\d\d-\d\d\n(Superseded by: .+\n)?\n## Context\n[\s\S]+\n## Decision\n[\s\S]+\n## Consequences\n/,
  );
  expect(text).toContain(`# ${Number(name.slice(0, 4))}. `);
});

test('records are numbered without gaps', () => {
  expect(records.map((name) => Number(name.slice(0, 4))).toSorted((a, b) => a - b)).toEqual(
    records.map((_name, index) => index + 1),
  );
});
