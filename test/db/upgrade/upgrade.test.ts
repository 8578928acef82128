import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { findBrokenInvariants } from '../../../src/db/ledger/invariants.ts';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { until } from '../../support/until.ts';
import {
  addCompanies,
  createFirstRelease,
  type FirstRelease,
  migrateToFirstRelease,
  playStory,
} from './first-release.ts';

const CLIENTS = 4;
/** Lives before the migration begins, and at least as many again after it has ended. */
const LIVES = 150;

let name: string;
let url: string;
let admin: pg.Client;
let database: Database;
let release: FirstRelease;

beforeEach(async () => {
  admin = new pg.Client({ connectionString: inject('databaseAdminUrl') });
  await admin.connect();
  name = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  const address = new URL(inject('databaseAdminUrl'));
  address.pathname = name;
  url = address.href;
  await migrateToFirstRelease(url);
  database = connectDatabase(url, { poolSize: 2 });
  release = createFirstRelease(url, CLIENTS);
  await addCompanies(release);
});
afterEach(async () => {
  await release.stop();
  await database.destroy();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

/** Clients that play lives one after another until they are stopped. */
function startClients() {
  let isStopped = false;
  let lives = 0;
  const play = async (client: number) => {
    for (let number = client; !isStopped; number += 1) {
      await playStory(release, number);
      lives += 1;
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => play(client)));
  return {
    lives: () => lives,
    /** Fails where a client does. */
    reach: (count: number) =>
      Promise.race([clients, until(() => expect(lives).toBeGreaterThanOrEqual(count))]),
    stop() {
      isStopped = true;
      return clients;
    },
  };
}

const count = async (table: string, condition: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from ${sql.table(table)} where ${sql.raw(condition)}`.execute(database);
  return rows[0]?.count;
};

it('the first release works on while its database is brought to the present', async () => {
  const clients = startClients();
  await clients.reach(LIVES);
  const [earlier] = await Promise.all([
    sql<{ id: number }>`select max(id) as id from vouchers`.execute(database),
    migrateToLatest(url),
    migrateToLatest(url),
  ]);
  await clients.reach(clients.lives() + LIVES);
  await clients.stop();

  const { generated, redeemed, refused, delivered, failed } = release.told;
  expect(await findBrokenInvariants(database)).toEqual([]);
  expect(await count('vouchers', 'true')).toBe(generated.length);
  expect(await count('redemptions', `status = 'POSTED'`)).toBe(redeemed.length);
  expect(await count('redemptions', `status = 'VOIDED'`)).toBe(refused.length);
  expect(await count('topups', `status = 'SUCCESS'`)).toBe(delivered.length);
  expect(await count('topups', `status = 'FAILED'`)).toBe(failed.length);
  expect(await count('operations', `status = 'RUNNING'`)).toBe(0);
  const { rows } = await sql<{ kind: string; balance: number }>`
    select kind, balance::float8 from ledger_accounts where partner_id = 1`.execute(database);
  const balances = Object.fromEntries(rows.map(({ kind, balance }) => [kind, balance]));
  expect(balances).toEqual({
    gift: 1_000_000 - 100 * generated.length,
    reserved: 100 * generated.length - 40 * redeemed.length,
    'gift-hold': 0,
    airtime: 1_000_000 - 10 * delivered.length,
    'airtime-hold': 0,
  });
  // What the present keeps beside a row was filled from what there was.
  const before = `id <= ${earlier.rows[0]?.id}`;
  expect(await count('vouchers', `${before} and request_digest is null`)).toBe(0);
  expect(await count('vouchers', `${before} and wrong_codes = 0`)).toBe(0);
});
