import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { countDesk, deskList, takeDeskItem } from '../../../src/db/lists/desk.ts';
import { readListPage } from '../../../src/db/lists/list-page.ts';
import {
  cancelUselessMessages,
  leftMessages,
  takeLeftMessages,
} from '../../../src/db/messages/abandoned-messages.ts';
import { withDueMessages } from '../../../src/db/outbox.ts';
import { readServiceState } from '../../../src/db/overview.ts';
import { deskKinds } from '../../../src/domain/staff.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createGrownDatabase } from './grown-database.ts';
import { listenToStatements, planOf, readIndexBegins, wholeLooks, wholeTables } from './plans.ts';

/** What metrics read again and again costs as much as is open, however long the history is. */
let grown: TestDatabase;
let database: Database;
let client: pg.Client;

beforeAll(async () => {
  grown = await createGrownDatabase();
  database = connectDatabase(grown.url, { poolSize: 1 });
  client = new pg.Client({ connectionString: grown.url });
  await client.connect();
});
afterAll(async () => {
  await database?.destroy();
  await client?.end();
  await grown?.drop();
});

test('the state of the service is read along partial indexes', async () => {
  // Stacks of other files in this process may not have ended yet.
  const heard = listenToStatements({ database: new URL(grown.url).pathname.slice(1) });
  const { waiting } = await readServiceState(database, [60]);
  heard.stop();
  // The grown database has some of each.
  for (const outbox of ['repairs', 'statements', 'day-reports'])
    expect(waiting.find((one) => one.outbox === outbox)?.count, outbox).toBeGreaterThan(0);
  const begins = await readIndexBegins(client);
  expect(heard.statements.size).toBe(1);
  for (const [text, values] of heard.statements) {
    expect(wholeTables(await planOf(client, text, values), begins)).toEqual([]);
  }
});

test('messages to owners that were left behind are found along the index of unsettled messages', async () => {
  const heard = listenToStatements({ database: new URL(grown.url).pathname.slice(1) });
  const hours = { expiryReminderHours: [0, 24], marketTimeZone: 'UTC' } as const;
  await withDueMessages(database, [{ due: leftMessages(hours, 30) }]);
  await takeLeftMessages(database, 20, hours, 30);
  await cancelUselessMessages(database, 20);
  heard.stop();
  expect(heard.statements.size).toBe(3);
  expect(await wholeLooks(client, heard.statements, [])).toEqual([]);
});

test('the queue of the support desk is read along indexes, and so is each part of it', async () => {
  const heard = listenToStatements({ database: new URL(grown.url).pathname.slice(1) });
  expect(await countDesk(database, 1)).toBeGreaterThan(0);
  const usual = { page: 1, limit: 100, sortBy: deskList.sortBy, isUsual: true } as const;
  const { items } = await readListPage(database, deskList, 0, {
    ...usual,
    conditions: [],
    isCountBounded: true,
  });
  // The grown database has some of each.
  const found = new Set(items.map(({ kind }) => kind));
  expect([...found]).toEqual(expect.arrayContaining(['unknown', 'repair', 'case']));
  for (const kind of Object.keys(deskKinds))
    await readListPage(database, deskList, 0, {
      ...usual,
      conditions: [{ column: 'kind', operator: 'eq', isNegated: false, values: [kind] }],
      search: { text: 'partner', columns: ['partner', 'merchant'] },
    });
  const item = { kind: 'repair', subject: 'none' };
  const people = { accountId: 1, insteadOf: undefined };
  await database.transaction().execute((transaction) => takeDeskItem(transaction, item, people));
  heard.stop();
  expect(heard.statements.size).toBeGreaterThan(3);
  expect(await wholeLooks(client, heard.statements, [])).toEqual([]);
});
