import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/db/connection.ts';
import { ensureRoles, groupRole } from '../../../src/db/rights/roles.ts';
import { processRoles, tableRights } from '../../../src/db/rights/table-rights.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await database?.drop();
});

const namesOf = async (query: string): Promise<string[]> => {
  const { rows } = await owner.query<{ name: string }>(query);
  return rows.map(({ name }) => name);
};

test('every table of the schema, and no other, is listed', async () => {
  const tables = await namesOf(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`);
  expect(tables.length).toBeGreaterThan(70);
  expect(Object.keys(tableRights).sort()).toEqual(tables.sort());
});

test('no process has a right on a table that is not listed, also one that it had', async () => {
  const connected = connectDatabase(database.url, { poolSize: 1 });
  const name = database.url.slice(database.url.lastIndexOf('/') + 1);
  const groups = processRoles.map((role) => groupRole(name, role));
  await ensureRoles(connected);
  const table = `unlisted_${randomUUID().replaceAll('-', '')}`;
  await owner.query(`create table ${table} ()`);
  for (const group of groups) await owner.query(`grant all on ${table} to "${group}"`);
  const grantees = () =>
    namesOf(`select grantee as name from information_schema.role_table_grants
      where table_name = '${table}' and grantee <> current_user`);
  expect(await grantees()).not.toEqual([]);
  await ensureRoles(connected);
  expect(await grantees()).toEqual([]);
  await connected.destroy();
  for (const group of groups) await owner.query(`drop owned by "${group}"; drop role "${group}"`);
});

test('rights are to read, insert, update and delete, and to nothing else', () => {
  const verbs = Object.values(tableRights)
    .flatMap((ofTable) => Object.values(ofTable))
    .flatMap((rights) => rights.replace(/\([^)]*\)/g, '').split(','))
    .map((verb) => verb.trim());
  expect([...new Set(verbs)].sort()).toEqual(['', 'delete', 'insert', 'select', 'update']);
});
