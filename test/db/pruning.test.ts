import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import { pruneInTurns } from '../../src/db/pruning.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { prune as pruneKind } from './prune.ts';

/** More than one batch of each. */
const BACKLOG = 12_000;
const YOUNG = 10;

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase(testDatabase.url, { poolSize: 2 });
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
});

const RETENTION = {
  operationDays: 30,
  eventDays: 30,
  signInSeconds: 900,
  sessionSeconds: 43_200,
  messageRetentionDays: 400,
  numberRetentionDays: 0,
};
const BATCH = 5_000;

const prune = (endsAt = Number.POSITIVE_INFINITY) =>
  pruneInTurns(database, RETENTION, { batchSize: BATCH, endsAt, note: () => {} });

const countsOf = async () => {
  const { rows } = await sql<{ operations: number; events: number; refused: number }>`
    select (select count(*) from operations) as operations, (select count(*) from events) as events,
      (select count(*) from refused_calls) as refused`.execute(database);
  return rows[0];
};

async function addBacklog(): Promise<void> {
  const age = sql`case when number <= ${YOUNG} then now() else now() - interval '100 days' end`;
  const numbers = sql`generate_series(1, ${BACKLOG + YOUNG}::integer) as number`;
  await sql`
    insert into operations (id, created_at, company_kind, company_id, kind, request_id,
      request_digest, status, outcome)
    select number, ${age}, 'partner', 1, 'generate-voucher', gen_random_uuid(), '', 'SUCCEEDED', '{}'
    from ${numbers}`.execute(database);
  await sql`
    insert into events (created_at, number, company_kind, company_id, type, subject, data)
    select ${age}, ${BACKLOG + YOUNG + 1}::integer - number, 'partner', 1, 'voucher.generated', 'voucher:1', '{}'
    from ${numbers} order by number desc`.execute(database);
  await sql`
    insert into refused_calls (at, surface, method, route, reason, source_address, request_id)
    select ${age}, 'partner', 'GET', '/', 'reason', '127.0.0.1', 'r' from ${numbers}
  `.execute(database);
}

test('when the time is up, each kind has had its turn', async () => {
  await addBacklog();
  // The first turn begins in time.
  const first = await pruneInTurns(database, RETENTION, {
    batchSize: BATCH,
    endsAt: Date.now() + 60_000,
    note: (count) => {
      if (count > 2 * BATCH) throw new Error('interrupted');
    },
  }).catch((error: Error) => error.message);
  expect(first).toBe('interrupted');
  const left = BACKLOG + YOUNG - BATCH;
  expect(await countsOf()).toEqual({ operations: left, events: left, refused: left });
});

test('a backlog of several batches of several kinds is gone after one step', async () => {
  expect(await prune()).toEqual({ count: 3 * (BACKLOG - BATCH), isDone: true });
  expect(await countsOf()).toEqual({ operations: YOUNG, events: YOUNG, refused: YOUNG });
});

test('after its time nothing is begun, and the rest is left', async () => {
  expect(await prune(0)).toEqual({ count: 0, isDone: false });
});

test('a kind that cannot be deleted keeps no other from being deleted', async () => {
  await sql`
    insert into refused_calls (at, surface, method, route, reason, source_address, request_id)
    select now() - interval '100 days', 'partner', 'GET', '/', 'reason', '127.0.0.1', 'r'
    from generate_series(1, ${BACKLOG}::integer)`.execute(database);
  await sql`alter table operations rename to operations_elsewhere`.execute(database);
  await expect(prune()).rejects.toThrow('operations');
  await sql`alter table operations_elsewhere rename to operations`.execute(database);
  expect((await countsOf())?.refused).toBe(YOUNG);
});

/** What providers leave behind: a row of each age in days, and the retention. */
const ofProviders = [
  {
    kind: "lines of providers' statements",
    days: 40,
    add: (days: number) => sql`
      insert into provider_statement_lines (load_id, kind, provider_reference, provider, day,
        created_at, status, at)
      values (gen_random_uuid(), 'payment', 'r', 'gsma', '2026-11-01',
        now() - make_interval(secs => ${days * 86_400}::float8), 'completed', now())`,
    table: 'provider_statement_lines',
  },
  {
    kind: 'results of M-Pesa',
    days: 30,
    add: (days: number) => sql`
      insert into mpesa_results (received_at, reference, kind, conversation_id, result_code,
        description)
      values (now() - make_interval(secs => ${days * 86_400}::float8), gen_random_uuid(), 'payment', 'c', '0',
        '')`,
    table: 'mpesa_results',
  },
  {
    kind: 'early delivery reports',
    days: 1,
    add: (days: number) => sql`
      insert into early_delivery_reports (provider, provider_reference, delivery, received_at)
      values ('smpp', 'r' || ${days}::float8, 'DELIVERED',
        now() - make_interval(secs => ${days * 86_400}::float8))`,
    table: 'early_delivery_reports',
  },
] as const;

test.each(ofProviders)(
  '$kind go after $days days, and no earlier',
  async ({ kind, days, add, table }) => {
    for (const age of [0.2, days - 0.5, days + 0.5, days + 2]) await add(age).execute(database);
    const countRows = async () => {
      const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)}`.execute(database);
      return rows[0]?.count;
    };
    const before = (await countRows()) ?? 0;
    expect(await pruneKind(database, kind)).toBe(2);
    expect(await countRows()).toBe(before - 2);
    expect(await pruneKind(database, kind)).toBe(0);
  },
);

test('sent messages go after their days, with their resends; what is open stays', async () => {
  await database.transaction().execute(async (transaction) => {
    // Without a voucher: the rows only have to be there.
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`
      insert into messages (created_at, settled_at, kind, language, msisdn, voucher_id, status)
      select now() - make_interval(days => days), case when is_open then null else now() end,
        'VERIFICATION_CODE', 'en', 'hash.mask.k1.box', 1, case when is_open then 'UNKNOWN' else 'SENT' end
      from (values (500, false), (450, true), (450, false), (401, false), (399, false)) as given
        (days, is_open)`.execute(transaction);
    await sql`insert into message_resends (message_id, original_id, operation_id)
      select message.id, (select min(id) from messages), message.id from messages as message
      where created_at > now() - interval '400 days'`.execute(transaction);
    await sql`insert into message_failovers (at, message_id, from_provider, to_provider, message)
      select now() - interval '31 days', id, 'smpp', 'africas-talking', 'not sent' from messages
      where created_at < now() - interval '449 days' and created_at > now() - interval '499 days'
        and settled_at is not null`.execute(transaction);
  });
  const days = async () =>
    (
      await sql<{ days: number }>`select extract(day from now() - created_at)::int as days
        from messages order by id`.execute(database)
    ).rows.map((row) => row.days);
  expect(await pruneKind(database, 'sent messages')).toBe(2);
  expect(await days()).toEqual([450, 450, 399]);
  expect(await pruneKind(database, 'messages to another provider')).toBe(1);
  expect(await pruneKind(database, 'sent messages')).toBe(1);
  expect(await days()).toEqual([450, 399]);
  expect((await sql`select from message_resends`.execute(database)).rows).toEqual([]);
});
