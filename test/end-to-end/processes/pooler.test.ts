import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { checkChangedBooks } from '../../../src/db/books/check-changes.ts';
import { withSettings } from '../../../src/db/connection.ts';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { noMetrics } from '../../../src/runtime/metrics/metrics.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { watchDatabase } from '../../../src/runtime/worker/watch-database.ts';
import { commandsOn } from '../../admin/scene.ts';
import { providerSettings } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { CLAIM } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { liveThroughTheService } from '../whole-service.ts';
import { PGBOUNCER_LIMIT_MS, type Pgbouncer, startPgbouncer } from './pgbouncer.ts';

/**
 * Everything goes through PgBouncer in transaction mode: migrations, the service, and the commands of operators. What
 * belongs to a session there stays with a connection that others get.
 */
let admin: pg.Client;
let pgbouncer: Pgbouncer;
/** A login of the service, as docs/reference/database.md sets its limits. */
const service = `pooled_${randomUUID().slice(0, 8)}`;
const databases: string[] = [];

beforeAll(async () => {
  const adminUrl = inject('databaseAdminUrl');
  admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`
    create role ${service} login superuser password 'pooled';
    alter role ${service} set statement_timeout = '10s';
    alter role ${service} set idle_in_transaction_session_timeout = '15s'`);
  pgbouncer = await startPgbouncer([adminUrl, loginOf(adminUrl)]);
}, PGBOUNCER_LIMIT_MS);
afterAll(async () => {
  await pgbouncer?.stop();
  for (const name of databases) await admin.query(`drop database ${name} with (force)`);
  await admin?.query(`drop role ${service}`);
  await admin?.end();
});

function loginOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  return Object.assign(url, { username: service, password: 'pooled' }).href;
}

/** An empty database: its address for PostgreSQL itself, and that of its owner by way of PgBouncer. */
async function makeDatabase() {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  databases.push(name);
  await admin.query(`create database ${name}`);
  const url = new URL(inject('databaseAdminUrl'));
  url.pathname = name;
  return { url: url.href, pooled: pgbouncer.pooled(url.href) };
}

/** Locks of transactions come and go. */
const untilNoLocks = (databaseUrl: string) =>
  until(async () => {
    const { rows } = await admin.query(
      `select objid from pg_locks join pg_database on pg_database.oid = database
       where locktype = 'advisory' and datname = $1`,
      [new URL(databaseUrl).pathname.slice(1)],
    );
    expect(rows).toEqual([]);
  });

test('of migrations at once one migrates, the others wait for it, and no lock is left', async () => {
  const { url, pooled } = await makeDatabase();
  const order: string[] = [];
  const note = (what: string) => {
    if (order.at(-1) !== what) order.push(what);
  };
  const up = async (migrated: Kysely<unknown>) => {
    await sql`create table things (size int)`.execute(migrated);
    // Time for the others to get in.
    await sleep(1_500);
    note('applied');
  };
  const migrate = (who: string) => {
    const migrations: Record<string, { up: typeof up }> = { one: { up } };
    const ownKeys = () => {
      note(who);
      return Reflect.ownKeys(migrations);
    };
    return migrateToLatest(pooled, { migrations: new Proxy(migrations, { ownKeys }) });
  };
  await Promise.all(['A', 'B', 'C'].map(migrate));
  expect(order[1]).toBe('applied');
  const turns = order
    .filter((what) => what !== 'applied')
    .filter((who, at, all) => who !== all[at - 1]);
  expect(turns.sort()).toEqual(['A', 'B', 'C']);
  await untilNoLocks(url);
});

describe('the service', () => {
  let scene: RedemptionScene;
  let url: string;
  let pooled: string;
  beforeAll(async () => {
    const database = await makeDatabase();
    ({ url } = database);
    await Promise.all([migrateToLatest(database.pooled), migrateToLatest(database.pooled)]);
    pooled = pgbouncer.pooled(loginOf(url));
    scene = await setRedemptionScene({ DATABASE_URL: pooled, MPESA_URL: undefined });
  });
  afterAll(async () => {
    await scene?.stop();
    await untilNoLocks(url);
  });

  test('does its whole day: vouchers, top-ups, lists, statements and checks of the books', async () => {
    await liveThroughTheService(scene);
    await untilNoLocks(url);
  });

  test('checks the books at once, and leaves no limit to others', async () => {
    const { database } = scene.stack;
    const patient = withSettings(database, { statement_timeout: 60_000 });
    const checks = await Promise.all([1, 2, 3].map(() => checkChangedBooks(patient)));
    expect(checks.flatMap(({ faults }) => faults)).toEqual([]);
    const limits = Array.from({ length: 100 }, () =>
      sql<{ limit: string }>`
        select current_setting('statement_timeout') as limit, pg_sleep(0.01)`.execute(database),
    );
    const found = (await Promise.all(limits)).flatMap(({ rows }) => rows.map(({ limit }) => limit));
    expect(new Set(found)).toEqual(new Set(['10s']));
    await untilNoLocks(url);
  });

  test('serves only reads under the fence, and all again once it is lifted', async () => {
    const settings = { ...providerSettings(scene.stack.sandbox), DATABASE_URL: pooled };
    const operator = commandsOn({ ...settings, MPESA_URL: undefined });
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    // The fence comes first: without it the code is not known.
    const probe = async () =>
      (await client.post(CLAIM, { voucherCode: '0000000000000000' })).body.statusCode;
    expect(await operator.json('recovery fence')).toMatchObject({ changed: true });
    await until(async () => expect(await probe()).toBe(503));
    expect(await operator.json('recovery book')).toMatchObject({ booked: 0, isComplete: true });
    expect(await operator.json('recovery lift --why checked')).toMatchObject({ changed: true });
    await until(async () => expect(await probe()).not.toBe(503));
    const verificationCode = await scene.claimed(client, gift);
    expect((await redeem(client, gift, { verificationCode })).body.statusCode).toBe(200);
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await operator.json('money check-ledger')).toMatchObject({ ok: true });
    await untilNoLocks(url);
  });
});

test('a process does not start behind a pooler whose login has no limits', async () => {
  const { pooled } = await makeDatabase();
  const settings = {
    databaseUrl: pooled,
    fenceCheckSeconds: 1,
    synchronousReplication: 'no',
  } as const;
  const logger = createLogger('silent', 'test');
  await expect(watchDatabase(settings, { logger, metrics: noMetrics })).rejects.toThrow(
    /no idle_in_transaction_session_timeout and statement_timeout.* login postgres/,
  );
});
