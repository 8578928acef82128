import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  countUnpaidAccounts,
  listAccountChecks,
} from '../../../src/db/catalogue/payout-account-checks.ts';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { recordDeliveryReport } from '../../../src/db/delivery-reports/delivery-reports.ts';
import { askAboutBreaks } from '../../../src/db/provider-statements/ask-about-breaks.ts';
import * as breaks from '../../../src/db/provider-statements/breaks.ts';
import { compareLines } from '../../../src/db/provider-statements/compare-day.ts';
import { bookProviderFees } from '../../../src/db/provider-statements/provider-fees.ts';
import * as statementRows from '../../../src/db/provider-statements/provider-statements.ts';
import { settleBreak } from '../../../src/db/provider-statements/settle-break.ts';
import {
  findStatementCase,
  listStatementCases,
} from '../../../src/db/provider-statements/statement-cases.ts';
import {
  addStatementLines,
  type StatementProvider,
} from '../../../src/db/provider-statements/statement-lines.ts';
import { bookDoubleDelivery } from '../../../src/db/providers/double-deliveries.ts';
import {
  findDoubleDelivery,
  listDoubleDeliveries,
} from '../../../src/db/providers/double-delivery-cases.ts';
import {
  postponeFailover,
  requestFailoverInquiry,
  settleDifference,
  takeDueFailovers,
} from '../../../src/db/providers/failover-inquiries.ts';
import { findPlacement, switchProvider } from '../../../src/db/providers/placements.ts';
import { addFailover } from '../../../src/db/providers/provider-failovers.ts';
import { addMpesaResult, mpesaResultsIn } from '../../../src/db/reconciliation/mpesa-results.ts';
import { findTopupDetail } from '../../../src/db/topups/topup-detail.ts';
import { dayOfTime } from '../../../src/domain/reports/day-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createGrownDatabase } from './grown-database.ts';
import { providerTables } from './grown-provider-tables.ts';
import { listenToStatements, wholeLooks } from './plans.ts';

/**
 * The plans of what is asked about providers: statements and their breaks, other providers that were
 * asked, results of M-Pesa, reports of messages. A day with both kinds of providers, each as the default
 * and as another one.
 */
const ZONE = 'Africa/Addis_Ababa';
const DAY = dayOfTime(new Date(), ZONE);
const PROVIDERS: readonly StatementProvider[] = [
  { name: 'gsma', kind: 'mobile-money' },
  { name: 'mpesa', kind: 'mobile-money' },
  { name: 'dt-one', kind: 'airtime' },
  { name: 'reloadly', kind: 'airtime' },
];

let own: TestDatabase;
let grown: TestDatabase;
let database: Database;
let client: pg.Client;

beforeAll(async () => {
  [own, grown] = [await createTestDatabase(), await createGrownDatabase()];
  database = connectDatabase(own.url, { poolSize: 2 });
  client = new pg.Client({ connectionString: grown.url });
  await client.connect();
});
afterAll(async () => {
  await database?.destroy();
  await client?.end();
  await Promise.all([own?.drop(), grown?.drop()]);
});

/** Everything that is done with the statement of a day. */
async function compareDay(provider: StatementProvider): Promise<void> {
  const of = { provider, day: DAY, zone: ZONE };
  const load = { id: randomUUID(), source: 'api' as const, ignoredCount: 0 };
  const kind = provider.kind === 'airtime' ? ('top-up' as const) : ('payment' as const);
  await statementRows.dueDays(database, { provider: provider.name, lastDay: DAY, days: 7 });
  await addStatementLines(database, of, load.id, [
    {
      ...{ kind, providerReference: 'p', reference: randomUUID(), status: 'completed' },
      ...{ amount: '100', currency: 'ETB', fee: '1', feeCurrency: 'ETB', at: new Date() },
    },
  ]);
  await database.transaction().execute(async (transaction) => {
    await statementRows.lockStatement(transaction, of);
    await statementRows.takeLoad(transaction, of, load);
    await bookProviderFees(transaction, of);
    await compareLines(transaction, of, { marginSeconds: 60, patienceDays: 3 });
    await askAboutBreaks(transaction, of);
    await statementRows.markCompared(transaction, of);
  });
  await statementRows.dropLoad(database, randomUUID());
  await statementRows.markUnfinished(database, of, 'FAILED', 'no answer');
  await statementRows.findStatement(database, provider.name, DAY);
  const [found] = await breaks.breaksOfDay(database, provider.name, DAY, { includeEnded: true });
  expect(found?.type).toBe('missing-here');
}

async function settleBreaks(): Promise<void> {
  const [found] = await listStatementCases(database);
  expect(found?.kind).toBe('break');
  await findStatementCase(database, 'break', found?.reference ?? '');
  await findStatementCase(database, 'statement', `gsma:${DAY}`);
  expect(await breaks.countOpenBreaks(database)).toHaveLength(PROVIDERS.length);
  expect(await breaks.listBreaks(database, {}, 201)).not.toEqual([]);
  await breaks.listBreaks(database, { provider: 'gsma', day: DAY, state: 'OPEN' }, 201);
  const settled = await database
    .transaction()
    .execute((transaction) =>
      settleBreak(transaction, Number(found?.reference), { by: 'operator', note: 'done' }),
    );
  expect(settled.kind).toBe('settled');
}

async function askOthers(): Promise<void> {
  const [from, to, message] = ['mpesa', 'gsma', 'not sent'];
  for (const subject of ['payment', 'top-up'] as const) {
    const placed = { subject, operationId: 'operation-1' };
    expect(await findPlacement(database, placed)).toBeUndefined();
    const switched = { ...placed, from, to, message, isAskedLater: true };
    expect(await switchProvider(database, switched)).toBe(false);
  }
  await addFailover(database, { operationId: 'operation-1', from, to, message });
  await findTopupDetail(database, 1, 1);
  await askFirst();
}

/** A first provider is asked again what it did, and what it did after all is listed and settled. */
async function askFirst(): Promise<void> {
  expect(await requestFailoverInquiry(database, 'operation-1', 'mpesa')).toBe(true);
  const [due] = await takeDueFailovers(database, new Date(Date.now() + 60_000).toJSON(), 10);
  if (!due) throw new Error('Nothing is due');
  await postponeFailover(database, due, { difference: 'Another amount.' });
  expect(await listDoubleDeliveries(database, { includeSettled: false })).toHaveLength(1);
  await settleDifference(database, due);
  await postponeFailover(database, due, 'unknown');
  await database
    .transaction()
    .execute((transaction) => bookDoubleDelivery(transaction, due, 'P-1'));
  expect(await listDoubleDeliveries(database, { includeSettled: false })).toHaveLength(1);
  await findDoubleDelivery(database, `${randomUUID()}:mpesa`);
}

async function takeCallbacks(): Promise<void> {
  const reference = randomUUID();
  const result = {
    ...{ reference, kind: 'inquiry' as const, conversationId: 'c', resultCode: '0' },
    ...{ description: '', transactionStatus: null, receipt: null, difference: null },
  };
  for (const _time of ['first', 'repeated'])
    expect(await addMpesaResult(database, result)).toBe(true);
  const results = mpesaResultsIn(database);
  expect(await results.ofPayment(reference)).toBeUndefined();
  expect(await results.takeAnswers(reference)).toHaveLength(1);
  expect(await addMpesaResult(database, result)).toBe(false);
  await recordDeliveryReport(database, {
    ...{ provider: 'smpp', reference: 'r', state: 'delivered', reason: null },
  });
}

/** The metric of payout accounts that are not paid, and the page that lists them. */
async function countAccounts(): Promise<void> {
  expect(await countUnpaidAccounts(database, 'gsma')).toEqual([]);
  expect(await listAccountChecks(database, { unpaidBeside: 'gsma', limit: 201 })).toEqual([]);
  await listAccountChecks(database, { merchantId: 1 });
}

test('no statement about providers looks through a table that grows', async () => {
  const heard = listenToStatements();
  for (const provider of PROVIDERS) await compareDay(provider);
  await settleBreaks();
  await askOthers();
  await takeCallbacks();
  await countAccounts();
  heard.stop();
  const texts = [...heard.statements.keys()];
  for (const table of Object.keys(providerTables('now()')).filter((name) => !/^early/.test(name)))
    expect(
      texts.some((text) => text.includes(table)),
      table,
    ).toBe(true);
  expect(texts.length).toBeGreaterThan(30);
  expect(await wholeLooks(client, heard.statements, [])).toEqual([]);
});
