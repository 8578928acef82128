import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const folder = new URL('../../migrations/', import.meta.url);

/** Tables that do not grow with what is sold. */
const SMALL = ['portal_accounts', 'merchant_public_keys', 'payout_account_checks'];

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)];

/** The indexes of a migration that keep the writers of a growing table waiting while they are built. */
function blockingIndexes(source: string, exported: Readonly<Record<string, unknown>>): string[] {
  const made = all(source, /create table (?:if not exists )?(\w+)/g).map(([, table]) => table);
  const free = [...made, ...SMALL];
  return all(source, /create (?:unique )?index (?:if not exists )?(\w+)\s+on (\w+)/g)
    .filter(([, index = '', table]) => !free.includes(table ?? '') && !(index in exported))
    .map(([, index = '']) => index);
}

it('finds an index on a table of an earlier migration that is not exported', () => {
  const source = `
    create table visits (id int); create index visits_by_id on visits (id);
    create index vouchers_by_visit on vouchers (visit_id);
    create index vouchers_by_name on vouchers (name);
    create index portal_accounts_by_name on portal_accounts (name);`;
  expect(blockingIndexes(source, { vouchers_by_visit: {} })).toEqual(['vouchers_by_name']);
});

it('an index on a growing table of an earlier migration is built without blocking its writers', async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  expect(names).toContain('0001-baseline.ts');
  for (const name of names) {
    const { indexes = {} } = await import(new URL(name, folder).href);
    expect(blockingIndexes(await readFile(new URL(name, folder), 'utf8'), indexes), name).toEqual(
      [],
    );
  }
});

it('the baseline says of each table what one of its rows is', async () => {
  const baseline = new URL('0001-baseline/', folder);
  const uncommented: string[] = [];
  for (const name of (await readdir(baseline)).toSorted()) {
    const source = await readFile(new URL(name, baseline), 'utf8');
    for (const [, before, table = ''] of all(source, /(.*)\ncreate (?:unlogged )?table (\w+)/g))
      if (!before?.startsWith('-- ')) uncommented.push(table);
  }
  expect(uncommented).toEqual([]);
});
