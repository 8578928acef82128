import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addPublicKey } from '../../../src/db/catalogue/companies.ts';
import type { Database } from '../../../src/db/connection.ts';
import { parsePublicKey, publicKeyFingerprint } from '../../../src/http/signature/public-key.ts';
import { addShop } from '../gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

let open: OpenDatabase;
let database: Database;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
afterAll(() => open?.close());

function newKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

it('a key belongs to one merchant, however it is written, until it is revoked', async () => {
  const [first, second] = [await addShop(database), await addShop(database)];
  const pem = newKey();
  const id = await addPublicKey(database, first, pem);
  expect(id).toBeDefined();
  const rewritten = `\r\n${pem.replaceAll('\n', '\r\n')}`;
  for (const merchant of [first, second])
    expect(await addPublicKey(database, merchant, rewritten)).toBeUndefined();
  await sql`update merchant_public_keys set revoked_at = now() where id = ${id}`.execute(database);
  expect(await addPublicKey(database, second, rewritten)).toBeDefined();
});

it('a key has the fingerprint that people are shown', async () => {
  const pem = newKey();
  const id = await addPublicKey(database, await addShop(database), pem);
  const { fingerprint } = await database
    .selectFrom('merchant_public_keys')
    .select('fingerprint')
    .where('id', '=', id ?? 0)
    .executeTakeFirstOrThrow();
  expect(fingerprint).toBe(publicKeyFingerprint(parsePublicKey(pem)));
});

it('a key that two merchants register at the same moment becomes one’s alone', async () => {
  const shops = await Promise.all(Array.from({ length: 6 }, () => addShop(database)));
  const pem = newKey();
  const ids = await Promise.all(shops.map((shop) => addPublicKey(database, shop, pem)));
  expect(ids.filter((id) => id !== undefined)).toHaveLength(1);
});
