import { generateKeyPairSync } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { up } from '../../../migrations/2026-11-22-8-credential-proofs.ts';
import { listPublicKeys } from '../../../src/db/access/company-access.ts';
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

/** Brings the tables to how they were before, and forward again. */
async function migrateAnew(rows: () => Promise<void>): Promise<void> {
  await sql`
    alter table merchant_public_keys drop column fingerprint, drop column proven_at,
      drop column duplicate_of;
    alter table portal_accounts drop column password_expires_at`.execute(database);
  await rows();
  await up(database as unknown as Kysely<unknown>);
}

describe('the keys of before', () => {
  it('stay valid, also where one is registered twice, which nobody can do from now on', async () => {
    const [first, second, third] = [
      await addShop(database),
      await addShop(database),
      await addShop(database),
    ];
    const [shared, revoked] = [newKey(), newKey()];
    const add = (merchantId: number, pem: string, revokedAt: Date | null = null) =>
      sql`insert into merchant_public_keys (merchant_id, public_key_pem, revoked_at)
        values (${merchantId}, ${pem}, ${revokedAt})`.execute(database);
    await migrateAnew(async () => {
      await add(first, shared);
      await add(second, `\r\n${shared.replaceAll('\n', '\r\n')}`);
      await add(first, revoked, new Date());
      await add(second, revoked);
      await add(third, 'not a key at all');
    });
    const [ofFirst, itsRevoked] = await listPublicKeys(database, first);
    const ofSecond = await listPublicKeys(database, second);
    expect(ofFirst).toMatchObject({ revokedAt: null, duplicateOf: null, provenAt: null });
    expect(itsRevoked).toMatchObject({ duplicateOf: null });
    expect(ofSecond.map(({ duplicateOf }) => duplicateOf)).toEqual([ofFirst?.id, null]);
    expect(await addPublicKey(database, third, shared)).toBeUndefined();
    expect(await addPublicKey(database, third, revoked)).toBeUndefined();
    expect(await listPublicKeys(database, third)).toHaveLength(1);
  });

  it('have the fingerprint that people are shown', async () => {
    const pem = newKey();
    const id = await addPublicKey(database, await addShop(database), pem);
    const { fingerprint } = await database
      .selectFrom('merchant_public_keys')
      .select('fingerprint')
      .where('id', '=', id ?? 0)
      .executeTakeFirstOrThrow();
    expect(fingerprint).toBe(publicKeyFingerprint(parsePublicKey(pem)));
  });
});

it('a key that two merchants register at the same moment becomes one’s alone', async () => {
  const shops = await Promise.all(Array.from({ length: 6 }, () => addShop(database)));
  const pem = newKey();
  const ids = await Promise.all(shops.map((shop) => addPublicKey(database, shop, pem)));
  expect(ids.filter((id) => id !== undefined)).toHaveLength(1);
});
