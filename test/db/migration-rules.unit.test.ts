import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const folder = new URL('../../migrations/', import.meta.url);

/** Landed before indexes could be exported; landed migrations never change. */
const FROZEN = [
  'ledger_transfers_debited',
  'ledger_transfers_credited',
  'redemptions_by_merchant',
  'redemptions_paid',
  'redemptions_by_provider_reference',
  'operations_redeeming_by_content',
  'verification_attempts_once',
  'messages_of_reversal',
];

/** Tables that do not grow with what is sold. */
const SMALL = ['portal_accounts', 'merchant_public_keys', 'payout_account_checks'];

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)];

it('an index on a growing table of an earlier migration is built without blocking its writers', async () => {
  const names = (await readdir(folder)).filter((name) => name > '2026-11-22').toSorted();
  const blocking: string[] = [];
  for (const name of names) {
    const source = await readFile(new URL(name, folder), 'utf8');
    const { indexes = {} } = await import(new URL(name, folder).href);
    const made = all(source, /create table (?:if not exists )?(\w+)/g).map(([, table]) => table);
    const free = [...made, ...SMALL];
    for (const [, index = '', table] of all(
      source,
      /create (?:unique )?index (?:if not exists )?(\w+)\s+on (\w+)/g,
    ))
      if (!free.includes(table) && !(index in indexes)) blocking.push(index);
  }
  expect(blocking).toEqual(FROZEN);
});
