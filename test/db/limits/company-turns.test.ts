import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { secondsUntilTurn } from '../../../src/db/limits/daily-limits.ts';
import { refuse } from '../../../src/domain/refusals.ts';
import { type OperationServices, waitForTurn } from '../../../src/operations/run-once.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const slowing = {
  codeAttemptsPerCompanyAndDay: 5,
  codeAttemptPauseSeconds: 2,
  longestWaitSeconds: 3,
};

let testDatabase: TestDatabase;
let database: Database;
let company: { readonly kind: 'partner'; readonly id: number };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const url = new URL(testDatabase.url);
  // PostgreSQL looks for `now()` in `clock` first.
  url.searchParams.set('options', '-c search_path=clock,pg_catalog,public');
  database = connectDatabase(url.href, { poolSize: 1 });
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
});

/** From the second statement on it is the next day in UTC. */
const midnightAfterOneStatement = async () => {
  await sql`create schema clock`.execute(database);
  await sql`create table clock.first (statement timestamptz)`.execute(database);
  await sql`
    create function clock.now() returns timestamptz language plpgsql as $$
    begin
      insert into clock.first select statement_timestamp()
        where not exists (select from clock.first);
      return case when (select statement from clock.first) = statement_timestamp()
        then '2026-11-25T23:59:59Z' else '2026-11-26T00:00:00Z' end;
    end $$`.execute(database);
};

beforeAll(async () => {
  const { rows } = await sql<{ id: number }>`
    insert into partners (company_name) values ('Turns') returning id`.execute(database);
  company = { kind: 'partner', id: rows[0]?.id ?? 0 };
  await sql`
    insert into company_daily_counts (company_kind, company_id, day, wrong_codes)
    values ('partner', ${company.id}, '2026-11-25', 5)`.execute(database);
});

test('a company that is slowed at the end of a day is not refused for the turn of the day', async () => {
  await midnightAfterOneStatement();
  expect(await secondsUntilTurn(database, company, slowing)).toBe(0);
  // A new day begins without wrong codes.
  expect(await secondsUntilTurn(database, company, slowing)).toBe(0);
});

test('comparisons follow one another, and a turn that is too far away is refused', async () => {
  await sql`truncate clock.first`.execute(database);
  await sql`create or replace function clock.now() returns timestamptz language sql
    as $$ select timestamptz '2026-11-25T12:00:00Z' $$`.execute(database);
  await sql`update company_daily_counts set next_turn_at = null`.execute(database);
  const seconds = [];
  for (let call = 0; call < 3; call += 1)
    seconds.push(await secondsUntilTurn(database, company, slowing));
  expect(seconds[0]).toBe(0);
  expect(seconds[1]).toBeGreaterThan(1);
  expect(seconds[2]).toBeUndefined();
});

test('a turn that leaves its request less than half of its time is given to no request', async () => {
  await sql`update company_daily_counts
    set next_turn_at = clock_timestamp() + interval '20 seconds'`.execute(database);
  const settings = { vouchers: slowing, http: { callerWaitSeconds: 30 } };
  const services = { database, settings } as unknown as OperationServices;
  expect(await waitForTurn(services, company, Date.now() + 30_000)).toEqual(
    refuse('too-many-requests', { detail: expect.any(String), retryAfterSeconds: 30 }),
  );
});
