import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  countUnpaidAccounts,
  listAccountChecks,
} from '../../../src/db/catalogue/payout-accounts.ts';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { recordDeliveryReport } from '../../../src/db/messages/delivery-reports.ts';
import * as cases from '../../../src/db/positions/cases.ts';
import { lostOperationId, readOrder } from '../../../src/db/positions/orders.ts';
import * as placements from '../../../src/db/positions/placements.ts';
import * as sendings from '../../../src/db/positions/sendings.ts';
import { bookProviderFees, compareBalance } from '../../../src/db/provider-statements/balances.ts';
import { compareLines } from '../../../src/db/provider-statements/compare-lines.ts';
import * as statementRows from '../../../src/db/provider-statements/statements.ts';
import {
  addStatementLines,
  type StatementProvider,
} from '../../../src/db/provider-statements/statements.ts';
import { addMpesaResult, mpesaResultsIn } from '../../../src/db/reconciliation.ts';
import { askAboutListed, bookLost, compareListed } from '../../../src/db/recovery.ts';
import { findTopupDetail } from '../../../src/db/topups/topups.ts';
import { dayOfTime } from '../../../src/domain/day-report.ts';
import { caseFacts } from '../../../src/repairs/payment-repairs.ts';
import { observe } from '../../positions/placements.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createGrownDatabase } from './grown-database.ts';
import { providerTables } from './grown-provider-tables.ts';
import { listenToStatements, wholeLooks } from './plans.ts';

/**
 * The plans of what is asked about providers: statements, placements and cases, other providers that were
 * asked, results of M-Pesa, reports of messages. A day with both kinds of providers, each as the default
 * and as another one.
 */
const ZONE = 'Africa/Addis_Ababa';
const DAY = dayOfTime(new Date(), ZONE);
const settings = { reversalWatchSeconds: 0 };
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

const doneLine = (kind: 'payment' | 'top-up', reference: string | null) => ({
  kind,
  providerReference: 'p',
  reference,
  status: 'completed' as const,
  amount: '100',
  currency: 'ETB',
  fee: '1',
  feeCurrency: 'ETB',
  at: new Date(),
});

/** Everything that is done with the statement of a day. */
async function compareDay(provider: StatementProvider): Promise<void> {
  const of = { provider, day: DAY, zone: ZONE };
  const load = { id: randomUUID(), source: 'api' as const, ignoredCount: 0 };
  const kind = provider.kind === 'airtime' ? ('top-up' as const) : ('payment' as const);
  await statementRows.dueDays(database, {
    provider: provider.name,
    lastDay: DAY,
    days: 7,
    zone: ZONE,
  });
  await addStatementLines(database, of, load.id, [doneLine(kind, randomUUID())]);
  await database.transaction().execute(async (transaction) => {
    await statementRows.lockStatement(transaction, of);
    await statementRows.takeLoad(transaction, of, load);
    await bookProviderFees(transaction, of);
    const rules = {
      ...settings,
      providerStatementMarginSeconds: 60,
      patienceDays: 3,
      maximumDifferences: 20,
    };
    const { unexplained } = await compareLines(transaction, of, rules);
    await statementRows.markCompared(transaction, of, unexplained);
  });
  await compareBalance(database, of, { providerStatementMarginSeconds: 60 });
  await statementRows.dropLoad(database, randomUUID());
  await statementRows.markUnfinished(database, of, 'FAILED', 'no answer');
  await statementRows.findStatement(database, provider.name, DAY);
  const found = await cases.casesOfLines(database, {
    provider: provider.name,
    day: DAY,
    includeClosed: true,
  });
  expect(found.map(({ why }) => why)).toEqual(['foreign']);
}

async function settleCases(): Promise<void> {
  const [found] = await cases.listCases(database, { includeClosed: true, limit: 100 });
  if (!found) throw new Error('There is no case');
  await cases.listCases(database, { includeClosed: true, provider: 'gsma', limit: 100 });
  expect(await cases.countOpenCases(database)).toHaveLength(2);
  await cases.openLostCases(database);
  await caseFacts(database, String(found.id));
  await cases.otherCasesOf(database, found);
  const by = { actor: 'operator', note: 'done', borneBy: null };
  expect(await cases.closeCase(database, found.id, by)).toBe(true);
}

/** A payment and a top-up: placed, asked about and lost. */
async function placeOrders(): Promise<void> {
  for (const subject of ['payment', 'top-up'] as const) {
    const placed = { subject, operationId: 'operation-1' };
    expect(await placements.findChoice(database, placed)).toBeUndefined();
    const switched = { from: 'mpesa', to: 'gsma', message: 'not sent', isAskedLater: true };
    expect(await placements.switchProvider(database, placed, switched)).toBe(false);
  }
  await sendings.noteUnknown(database, 'operation-1');
  expect(await sendings.markSending(database, 'operation-1')).toBe(false);
  await sendings.wasNeverSent(database, 'operation-1');
  await sendings.forgetSending(database, 'operation-1');
  const taken = { reference: randomUUID(), provider: 'gsma' };
  await sendings.noteOpen(database, taken, { message: 'open', takenAs: 'request-1' });
  await placements.doubt(database, { reference: 'reference-1', provider: 'gsma' });
  await placements.countDue(database, new Date().toJSON());
  await placements.takeDue(database, new Date().toJSON(), 10);
  await cases.noteUnbooked(database, 'operation-1');
  await findTopupDetail(database, 1, 1);
  await loseOrder();
}

/** What a restore lost, and a statement tells of. */
async function loseOrder(): Promise<void> {
  const reference = randomUUID();
  const lines = [doneLine('payment', reference), doneLine('payment', null)];
  await compareListed(database, { name: 'mpesa', kind: 'mobile-money' }, lines);
  await database.transaction().execute(async (transaction) => {
    await bookLost(
      transaction,
      {
        kind: 'payment',
        provider: 'gsma',
        reference,
        amount: '100',
        party: null,
        at: new Date(),
        providerReference: 'P-1',
        serialNumber: null,
      },
      settings,
    );
    await askAboutListed(transaction, { reference: 'reference-1', provider: 'mpesa' });
    await observe(transaction, lostOperationId(reference), { said: 'undone' });
  });
  const subject = lostOperationId(reference);
  await readOrder(database, subject);
  await readOrder(database, 'operation-1');
  await placements.placementsOfCase(database, { subjectKind: 'order', subject });
}

async function takeCallbacks(): Promise<void> {
  const reference = randomUUID();
  const result = {
    reference,
    kind: 'inquiry' as const,
    conversationId: 'c',
    resultCode: '0',
    ...{
      description: '',
      transactionStatus: null,
      receipt: null,
      difference: null,
      otherAmount: null,
    },
  };
  for (const _time of ['first', 'repeated'])
    expect(await addMpesaResult(database, result)).toBe(true);
  const results = mpesaResultsIn(database);
  expect(await results.ofPayment(reference)).toBeUndefined();
  expect(await results.takeAnswers(reference)).toHaveLength(1);
  expect(await addMpesaResult(database, result)).toBe(false);
  await recordDeliveryReport(database, {
    provider: 'smpp',
    reference: 'r',
    state: 'delivered',
    reason: null,
  });
}

/** The metric of payout accounts that are not paid, and the page that lists them. */
async function countAccounts(): Promise<void> {
  expect(await countUnpaidAccounts(database, 'gsma')).toEqual([]);
  expect(await listAccountChecks(database, { unpaidWithDefault: 'gsma', limit: 201 })).toEqual([]);
  await listAccountChecks(database, { merchantId: 1 });
}

test('no statement about providers looks through a table that grows', async () => {
  const heard = listenToStatements();
  for (const provider of PROVIDERS) await compareDay(provider);
  await settleCases();
  await placeOrders();
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
