import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CostOfLife, costsOfLife } from '../../bench/capacity/predictions.ts';

const page = readFileSync('docs/internals/capacity.md', 'utf8');

const rows: Record<CostOfLife, RegExp> = {
  'transactions of PostgreSQL': /^\| Transactions \| (\d+) /m,
  'rows inserted': /^\| Rows inserted \| (\d+):/m,
  'kB of write-ahead log': /^\| Write-ahead log \| (\d+) kB/m,
  'state transitions of Temporal': /^\| Temporal: state transitions \| (\d+):/m,
};

test.each(Object.entries(rows))('the page says of %s what P12 checks', (cost, row) => {
  expect(Number(row.exec(page)?.[1])).toBe(costsOfLife[cost as CostOfLife].predicted);
});
