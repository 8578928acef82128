import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/db/connection.ts';
import { ownMovements } from '../../../src/db/ledger/own-movements.ts';
import { voucherCodeFromRandom } from '../../../src/domain/vouchers/voucher.ts';
import { hiddenFields } from '../../pages/portal/portal-client.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import type { TestDatabase } from '../../support/database.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';
import { liveThroughTheService } from '../whole-service.ts';
import {
  callFurtherEndpoints,
  listenByWebhooks,
  openEveryPage,
  searchEveryList,
} from './further-work.ts';
import { boundedTables, createGrownDatabase, grownTables } from './grown-database.ts';
import { providerTables } from './grown-provider-tables.ts';
import {
  EXCEPTIONS_OF_SCHEDULES,
  listenToStatements,
  planOf,
  readIndexBegins,
  scansOf,
  wholeLooks,
  wholeTables,
} from './plans.ts';

let grown: TestDatabase;
let client: pg.Client;
/** Every statement that the service made. */
let statements: ReadonlyMap<string, readonly unknown[]>;
let prepared: ReadonlySet<string>;
/** The searches of the portal's lists. */
let planned: ReadonlyMap<string, readonly unknown[]>;

beforeAll(async () => {
  grown = await createGrownDatabase();
  client = new pg.Client({ connectionString: grown.url });
  await client.connect();
  const heard = listenToStatements();
  ({ statements, prepared, planned } = heard);
  const scene = await setRedemptionScene({
    CALLER_WAIT_SECONDS: '25',
    WEBHOOK_PRIVATE_NETWORKS: 'on',
    WEBHOOK_FIRST_PAUSE_SECONDS: '0.2',
  });
  const webhooks = await listenByWebhooks(scene);
  scene.stack.sandbox.postSmsReportsTo(`${scene.stack.url}/callbacks/africas-talking`);
  await liveThroughTheService(scene);
  await workInSupport(scene);
  await askForRepairs(scene);
  await callFurtherEndpoints(scene);
  await openEveryPage(scene);
  await searchEveryList(scene);
  await webhooks.called();
  await scene.stop();
  await webhooks.close();
  heard.stop();
});
afterAll(async () => {
  await client?.end();
  await grown?.drop();
});

/** The searches of support, by everything that it finds cases by, and their pages. */
async function workInSupport({ stack }: RedemptionScene): Promise<void> {
  const { client } = await staffClient(stack);
  const terms = ['0911000001', '012345678901234567', 'RDM-0123456789ABCDEF', '17', 'reverse:4:0a'];
  terms.push('a line = 17 #b', `case:recovered:${randomUUID()}`);
  const names = [
    randomUUID(),
    randomUUID().replaceAll('-', ''),
    voucherCodeFromRandom(randomBytes(14)),
  ];
  for (const what of [...terms, ...names])
    expect((await client.submit('/support', '/support/find', { what })).status).toBeLessThan(400);
  for (const kind of ['vouchers', 'topups'] as const) {
    const { id } = await stack.database
      .selectFrom(kind)
      .select('id')
      .orderBy('id')
      .limit(1)
      .executeTakeFirstOrThrow();
    const path = `/support/${kind === 'topups' ? 'top-ups' : kind}/${id}`;
    const { html } = await client.get(path);
    expect(html).toContain('<h2>Next</h2>');
    if (html.includes(`${path}/number`))
      expect((await client.submit(path, `${path}/number`)).status).toBe(200);
  }
}

/** A repair that gives value, and the settlement of a payment that is not on hold any more. */
async function askForRepairs({ stack, partner }: RedemptionScene): Promise<void> {
  const { client } = await staffClient(stack, 'OPERATOR');
  const [goodwill, settle] = ['credit-goodwill', 'settle-payment'].map(
    (kind) => `/support/repairs/ask/${kind}`,
  ) as [string, string];
  const ticket = { reference: 'TICKET-4711', why: 'Ticket 4711' };
  const given = { ...ticket, subject: String(partner.id), wallet: 'gift', amount: '0.01' };
  const page = `/support/partners/${partner.id}/money`;
  expect((await client.submit(page, goodwill, given)).status).toBe(303);
  const { id } = await stack.database
    .selectFrom('redemptions')
    .select('id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  const hidden = hiddenFields((await client.get(page)).html, goodwill);
  const decided = { ...hidden, ...ticket, subject: String(id), outcome: 'done' };
  expect((await client.post(settle, decided)).status).toBe(409);
}

test('no statement of a call or a Schedule looks through a table that grows', async () => {
  expect(statements.size).toBeGreaterThan(60);
  expect(await wholeLooks(client, statements, EXCEPTIONS_OF_SCHEDULES)).toEqual([]);
});

const ofPrepared = () => new Map([...statements].filter(([text]) => prepared.has(text)));

test('nor does a plan for all values, which PostgreSQL may choose for a prepared statement', async () => {
  const options = { isGeneric: true };
  expect(await wholeLooks(client, ofPrepared(), EXCEPTIONS_OF_SCHEDULES, options)).toEqual([]);
});

/** The statements on a whole batch of ids, with one in place of theirs. */
function ofBatches(): Map<string, readonly unknown[]> {
  const batch = Array.from({ length: 2_000 }, (_, place) => 10_000 + place);
  const withBatch = (value: unknown) =>
    Array.isArray(value) && typeof value[0] === 'number' ? batch : value;
  return new Map(
    [...statements]
      .map(([text, values]) => [text, values.map(withBatch)] as const)
      .filter(([, values]) => values.includes(batch)),
  );
}

test('nor with a whole batch of ids, of which it looks up each', async () => {
  expect(ofBatches().size).toBeGreaterThan(10);
  // As if the tables were so big that reading one cost more than looking up each of a batch in it.
  await client.query('set enable_seqscan = off');
  expect(await wholeLooks(client, ofBatches(), EXCEPTIONS_OF_SCHEDULES)).toEqual([]);
  await client.query('reset enable_seqscan');
});

test('the search for a number walks the index of numbers, in its order', async () => {
  const searches = new Map(
    [...statements].filter(([text]) => /with found \(id\)[\s\S]*split_part/.test(text)),
  );
  expect(searches.size).toBeGreaterThan(0);
  // As if a number had so many rows that sorting them cost more than walking all rows in their order.
  await client.query('set enable_sort = off');
  expect(await wholeLooks(client, searches, EXCEPTIONS_OF_SCHEDULES)).toEqual([]);
  await client.query('reset enable_sort');
});

test.each(['vouchers', 'topups', 'bulk_orders', 'redemptions'])(
  'the search of the portal in %s looks rows up by their ids, however many there are',
  async (table) => {
    const searches = new Map(
      [...planned].filter(([text]) => text.includes(`${table}.id = any(array(`)),
    );
    expect(searches.size).toBeGreaterThan(1);
    expect(await wholeLooks(client, searches, [], { isBig: true })).toEqual([]);
    for (const [text, values] of searches)
      expect(JSON.stringify(await planOf(client, text, values)), text).toMatch(
        /"Index Cond":"[^"]*\bid = ANY/,
      );
  },
);

test('the check of new transfers looks for their ids alone, so that no other index is chosen', async () => {
  const checks = [...ofBatches()].filter(([text]) =>
    /as fault\b[\s\S]*from \(?\s*(select [^()]* from )?ledger_transfers/.test(text),
  );
  const scans: unknown[] = [];
  for (const [text, values] of checks)
    for (const scan of scansOf(await planOf(client, text, values), 'ledger_transfers'))
      if (/\(id = ANY/.test(scan['Index Cond'] ?? '')) scans.push(scan.Filter ?? '');
  expect(scans.length).toBeGreaterThan(2);
  expect(scans.filter((filter) => /step/.test(String(filter)))).toEqual([]);
});

test('a statement on each table that grows is among them', () => {
  const texts = [...statements.keys()];
  const isHeard = (table: string) => texts.some((text) => new RegExp(`\\b${table}\\b`).test(text));
  // provider-plans.test.ts hears those of what providers say.
  const others = grownTables.filter((table) => !(table in providerTables('now()')));
  expect(others.filter((table) => !isHeard(table))).toEqual([]);
});

test('every table grows here, or says why it does not', async () => {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`);
  const named = [...grownTables, ...Object.keys(boundedTables)];
  expect(rows.map(({ name }) => name).sort()).toEqual(named.sort());
});

test('a statement of archived days reads no table as a whole', async () => {
  const archived = Array.from({ length: 50 }, (_, index) => ({
    id: 1_000_000_000 + index,
    created_at: '2025-02-28 22:00:00+00',
    step: 'hold',
    ...{
      operation_id: `archived-${index}`,
      debit_account_id: 13,
      credit_account_id: 14,
      amount: '1',
    },
  }));
  const own = ownMovements(
    { partnerId: 2, wallets: ['gift', 'reserved'] },
    sql`timestamptz '2025-03-01 00:00+03'`,
    sql`timestamptz '2025-04-01 00:00+03'`,
    archived,
  );
  const database = connectDatabase(grown.url, { poolSize: 1 });
  const statement = sql`with ${own} select sum(change) from own`.compile(database);
  await database.destroy();
  const plan = await planOf(client, statement.sql, statement.parameters);
  const scans = scansOf(plan, 'ledger_transfers').map((scan) => scan['Node Type']);
  expect(scans.length).toBeGreaterThan(2);
  expect(scans.filter((type) => type === 'Seq Scan')).toEqual([]);
});

test('a run of reminders reads no voucher whose owner was told', async () => {
  const runs = [...statements].filter(([text]) => /update vouchers set reminded_at/.test(text));
  expect(runs).toHaveLength(1);
  for (const [text, values] of runs) {
    const due = scansOf(await planOf(client, text, values), 'vouchers').filter((scan) =>
      /expires_at/.test(scan['Index Cond'] ?? ''),
    );
    expect(due).toMatchObject([{ 'Index Name': 'vouchers_to_remind' }]);
    expect(due[0]?.Filter).toBeUndefined();
  }
});

test('the lists of top-ups walk an index in their order', async () => {
  for (const column of ['created_at', 'amount']) {
    const plan = await planOf(
      client,
      `select id from topups where partner_id = $1 order by ${column} desc, id desc limit 10`,
      [1],
    );
    expect(JSON.stringify(plan), column).not.toMatch(/"(Incremental )?Sort"|Seq Scan/);
  }
});

test('the list of payouts finds each day, and adds it up, by the index of payments', async () => {
  const made = [...statements].filter(([text]) => /with recursive found\(start\)/.test(text));
  expect(made).toHaveLength(1);
  for (const [text, values] of made) {
    const scans = scansOf(await planOf(client, text, values), 'redemptions');
    expect(scans.length).toBeGreaterThan(2);
    for (const scan of scans) expect(scan['Index Name']).toMatch(/^redemptions_paid(_otherwise)?$/);
  }
});

test('every exception is of a statement that is made', () => {
  for (const { text } of EXCEPTIONS_OF_SCHEDULES)
    expect([...statements.keys()].some((statement) => text.test(statement))).toBe(true);
});

test('a statement that looks through a table is found', async () => {
  const begins = await readIndexBegins(client);
  const plan = await planOf(client, `select id from vouchers where code_ciphertext = $1`, ['x']);
  expect(wholeTables(plan, begins)).toEqual(['Seq Scan of vouchers']);
});

test('a statement that looks through an index is found', async () => {
  const begins = await readIndexBegins(client);
  await client.query('set enable_seqscan = off');
  const plan = await planOf(
    client,
    `select id from ledger_transfers where step = 'return' and created_at > now()`,
    [],
  );
  await client.query('reset enable_seqscan');
  expect(wholeTables(plan, begins)).toEqual([expect.stringMatching(/Index .*Scan of ledger_tra/)]);
});
