import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import {
  MigrationBlockedError,
  migrateToLatest,
  OtherReleaseError,
  requireCurrentSchema,
} from '../../src/db/migrate.ts';
import { failureText } from '../../src/runtime/process/background-tasks.ts';
import { untilBlocked } from '../support/database-locks.ts';

let url: string;
let name: string;
let admin: pg.Client;
let database: Database;

beforeEach(async () => {
  admin = new pg.Client({ connectionString: inject('databaseAdminUrl') });
  await admin.connect();
  name = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  const address = new URL(inject('databaseAdminUrl'));
  address.pathname = name;
  url = address.href;
  database = connectDatabase(url, { poolSize: 3 });
  await sql`create table things (id int primary key, size int)`.execute(database);
});
afterEach(async () => {
  await database.destroy();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

const alter = {
  one: {
    up: async (migrated: Kysely<unknown>) => {
      await sql`alter table things add column colour text`.execute(migrated);
    },
  },
};
const SOON = { migrations: alter, lockTimeoutMs: 150, retryPauseMs: 50, retrySeconds: 60 };

const isApplied = async () => {
  const { rows } = await sql`
    select from information_schema.columns where table_name = 'things' and column_name = 'colour'
  `.execute(database);
  return rows.length === 1;
};

it('a statement of a migration may take its time, but does not wait long for a lock', async () => {
  const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  let found: string[] = [];
  const up = async (migrated: Kysely<unknown>) => {
    const { rows } = await sql<{ setting: string }>`
      select current_setting(name) as setting
      from unnest(${settings}::text[]) with ordinality as asked (name, position) order by position
    `.execute(migrated);
    found = rows.map(({ setting }) => setting);
  };
  await migrateToLatest(url, { migrations: { one: { up } } });
  expect(found).toEqual(['0', '500ms', '0']);
});

it('waits for a table in use without keeping others from it, and comes to its turn', async () => {
  let migrated: Promise<unknown> | undefined;
  await database.transaction().execute(async (transaction) => {
    // A long report.
    await sql`select from things`.execute(transaction);
    migrated = migrateToLatest(url, SOON);
    await untilBlocked(database);
    // Behind a migration that waits as long as it has to, these wait for this transaction. PostgreSQL measures the time.
    for (let count = 0; count < 5; count += 1)
      await database.transaction().execute(async (writing) => {
        await sql`set local statement_timeout = '8s'`.execute(writing);
        await sql`insert into things values (${count}, 1)`.execute(writing);
      });
    expect(await isApplied()).toBe(false);
  });
  await migrated;
  expect(await isApplied()).toBe(true);
});

it('says what keeps it from its tables when they are never free', async () => {
  await database.transaction().execute(async (transaction) => {
    await sql`select from things`.execute(transaction);
    const attempt = migrateToLatest(url, { ...SOON, retrySeconds: 0.3 });
    await expect(attempt).rejects.toThrow(MigrationBlockedError);
  });
  expect(await isApplied()).toBe(false);
});

it('makes the indexes of big tables while they are written to, and broken-off ones again', async () => {
  const index = { table: 'things', columns: '(size)' };
  const up = async (migrated: Kysely<unknown>) => {
    await sql`create index if not exists things_by_size on things (size)`.execute(migrated);
  };
  await sql`insert into things values (1, 1), (2, 1)`.execute(database);
  const broken = sql`create unique index concurrently things_by_size on things (size)`;
  await expect(broken.execute(database)).rejects.toThrow(/could not create unique index/);

  let isIndexed: Promise<unknown> | undefined;
  await database.transaction().execute(async (transaction) => {
    // It waits for this one, and meanwhile others write.
    await sql`insert into things values (3, 1)`.execute(transaction);
    isIndexed = migrateToLatest(url, {
      migrations: { one: { up, indexes: { things_by_size: index } } },
    });
    await untilBlocked(database);
    await sql`insert into things values (4, 1)`.execute(database);
  });
  await isIndexed;
  const { rows } = await sql`
    select indisvalid, indisunique from pg_index
    where indexrelid = 'things_by_size'::regclass`.execute(database);
  expect(rows).toEqual([{ indisvalid: true, indisunique: false }]);
});

it('several processes may bring an empty database up at the same time', async () => {
  await sql`drop table things`.execute(database);
  await expect(requireCurrentSchema(database)).rejects.toThrow();
  await Promise.all([migrateToLatest(url), migrateToLatest(url), migrateToLatest(url)]);
  await requireCurrentSchema(database);
  await migrateToLatest(url);
});

it('makes an index in a new database, too, whose table the same run creates', async () => {
  const indexes = { visits_by_size: { table: 'visits', columns: '(size)' } };
  const first = {
    up: async (migrated: Kysely<unknown>) => {
      await sql`create table visits (size int)`.execute(migrated);
    },
  };
  const second = {
    up: async (migrated: Kysely<unknown>) => {
      await sql`create index if not exists visits_by_size on visits (size)`.execute(migrated);
    },
    indexes,
  };
  await migrateToLatest(url, { migrations: { first, second } });
  const { rows } = await sql`
    select from pg_index where indexrelid = 'visits_by_size'::regclass and indisvalid
  `.execute(database);
  expect(rows).toHaveLength(1);
});

it('between two migrations a replaced trigger still has the rights of its owner', async () => {
  const role = `r${name}`;
  await sql`
    create table told (id int);
    create function tell() returns trigger language plpgsql as $$
      begin return null; end $$;
    create trigger things_tell after insert on things for each row execute function tell();
    create role ${sql.ref(role)};
    grant insert on things to ${sql.ref(role)}`.execute(database);
  const replaced = {
    up: async (migrated: Kysely<unknown>) => {
      await sql`
        create or replace function tell() returns trigger language plpgsql as $$
          begin insert into told values (new.id); return null; end $$`.execute(migrated);
    },
  };
  const used = {
    up: async () => {
      await database.transaction().execute(async (transaction) => {
        await sql`set local role ${sql.ref(role)}`.execute(transaction);
        await sql`insert into things values (1, 1)`.execute(transaction);
      });
    },
  };
  const earlier = { up: async () => {} };
  await migrateToLatest(url, { migrations: { earlier } });
  try {
    await migrateToLatest(url, { migrations: { earlier, replaced, used } });
    expect((await sql`select id from told`.execute(database)).rows).toEqual([{ id: 1 }]);
  } finally {
    await sql`drop owned by ${sql.ref(role)}; drop role ${sql.ref(role)}`.execute(database);
  }
});

it('leaves the database of a later release as it is, and says so of one that has other migrations', async () => {
  const nothing = { up: async () => {} };
  await migrateToLatest(url, { migrations: { first: nothing, later: nothing } });
  await migrateToLatest(url, { migrations: { first: nothing } });
  const attempt = migrateToLatest(url, { migrations: { other: nothing } });
  const error = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OtherReleaseError);
  expect(failureText(error)).toMatch(/^The database is of another release .+\(DATA_DIR\)$/);
});
