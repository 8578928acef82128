import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findApiKey, readAccess } from '../../../src/db/access/access.ts';
import {
  endApiKey,
  listApiKeys,
  listSourceAddresses,
  removeSourceAddress,
  revokeApiKey,
} from '../../../src/db/access/company-access.ts';
import { addApiKey, addPartner, addSourceAddresses } from '../../../src/db/catalogue/companies.ts';
import type { DatabaseTransaction } from '../../../src/db/connection.ts';
import { needsRotation } from '../../../src/domain/access.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

let open: OpenDatabase;
let company: Company;
let other: Company;
beforeAll(async () => {
  open = await openDatabase();
  company = { kind: 'partner', id: await addPartner(open.database, 'One') };
  other = { kind: 'partner', id: await addPartner(open.database, 'Other') };
});
afterAll(() => open?.close());

async function makeKey(): Promise<{ id: number; digest: Buffer }> {
  const digest = Buffer.from(randomUUID());
  const key = { name: 'Key', prefix: 'gvs_test_abc', digest };
  return { id: await addApiKey(open.database, company, key), digest };
}

const change = <Result>(run: (transaction: DatabaseTransaction) => Promise<Result>) =>
  open.database.transaction().execute(run);

/** Whether a key opens the door, by the two ways in which it is asked. */
async function isAccepted({ id, digest }: { id: number; digest: Buffer }): Promise<boolean> {
  const found = await findApiKey(open.database, 'partner', digest);
  expect(found?.company).toEqual(company);
  const access = await readAccess(open.database, company);
  expect(id in (access?.api_keys ?? {})).toBe(found?.isValid);
  return found?.isValid ?? false;
}

const listed = async (id: number) =>
  (await listApiKeys(open.database, company)).find((row) => row.id === id);

test('a key that was given an end works until then', async () => {
  const key = await makeKey();
  expect(await listed(key.id)).toMatchObject({ status: 'VALID', ageDays: 0, expiresAt: null });
  const ended = await change((transaction) => endApiKey(transaction, key.id, 24, company));
  expect(ended?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 86_000_000);
  expect(await listed(key.id)).toMatchObject({ status: 'ENDING' });
  expect(await isAccepted(key)).toBe(true);
  await sql`update api_keys set expires_at = now() where id = ${key.id}`.execute(open.database);
  expect(await isAccepted(key)).toBe(false);
  expect(await listed(key.id)).toMatchObject({ status: 'EXPIRED' });
});

test('an end is given once, and only to a valid key', async () => {
  const key = await makeKey();
  const end = () => change((transaction) => endApiKey(transaction, key.id, 0));
  expect(await end()).toBeDefined();
  expect(await end()).toBeUndefined();
  const revoked = await makeKey();
  await change((transaction) => revokeApiKey(transaction, revoked.id));
  expect(await change((transaction) => endApiKey(transaction, revoked.id, 1))).toBeUndefined();
  expect(await listed(revoked.id)).toMatchObject({ status: 'REVOKED' });
  expect(await isAccepted(revoked)).toBe(false);
});

test('another company’s keys and addresses are out of reach', async () => {
  const key = await makeKey();
  const [addressId = 0] = await addSourceAddresses(open.database, company, ['203.0.113.7']);
  await change(async (transaction) => {
    expect(await endApiKey(transaction, key.id, 1, other)).toBeUndefined();
    expect(await revokeApiKey(transaction, key.id, other)).toBeUndefined();
    expect(await removeSourceAddress(transaction, addressId, other)).toBeUndefined();
  });
  expect(await isAccepted(key)).toBe(true);
  expect(await listSourceAddresses(open.database, company)).toHaveLength(1);
  await change(async (transaction) => {
    expect(await removeSourceAddress(transaction, addressId, company)).toBeDefined();
    expect(await revokeApiKey(transaction, key.id, company)).toBeDefined();
  });
});

test.each([
  [89, false],
  [90, true],
])('a key of %i days asks to be rotated: %s', async (days, expected) => {
  const key = await makeKey();
  await sql`update api_keys set created_at = now() - make_interval(days => ${days})
    where id = ${key.id}`.execute(open.database);
  const row = await listed(key.id);
  expect(row && needsRotation(row)).toBe(expected);
  await change((transaction) => endApiKey(transaction, key.id, 24));
  const ending = await listed(key.id);
  expect(ending && needsRotation(ending)).toBe(false);
});
