import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Day, dayOfTime, lastClosedDay } from '../../../src/domain/day-report.ts';
import type { TakenRequest } from '../../../src/sandbox/requests.ts';
import { caseId } from '../../../workflows/workflow-ids.ts';
import { commandsOn } from '../../admin/scene.ts';
import { moveRows } from '../../db/provider-statements/move-rows.ts';
import { caseOf, caseWorkflow, settleCase, untilCase } from '../../positions/cases.ts';
import { call } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { providerSettings } from '../../support/stack.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { reconciled } from '../faults/reconciled.ts';
import { type GiftScene, setGiftScene } from '../gift/gift-scene.ts';

const ZONE = 'Africa/Addis_Ababa';
const settings = {
  PROVIDER_STATEMENT_MARGIN_SECONDS: '1',
  MOBILE_MONEY_ACCOUNT: 'sandbox, SC-77, SC-78',
};

let scene: GiftScene;
let folder: string;
let products: TopupProducts;

beforeAll(async () => {
  scene = await setGiftScene({
    ...settings,
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    PROVIDER_STATEMENT_RETRY_SECONDS: '0.1',
    PROVIDER_STATEMENT_TRIES: '2',
    REVERSAL_WATCH_SECONDS: '0',
  });
  folder = await mkdtemp(join(tmpdir(), 'statements-'));
  products = await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '10000', 'airtime');
});
afterAll(async () => {
  await scene?.stop();
  if (folder) await rm(folder, { recursive: true });
});

const sandboxUrl = () => scene.stack.sandbox.url;
const today = () => dayOfTime(new Date(), ZONE);

const commands = () =>
  commandsOn({
    DATABASE_URL: scene.stack.urlFor('operator'),
    ...providerSettings(scene.stack.sandbox),
    ...settings,
  });

/** Compares a day as an operator; the cases of lines as what each one is about and our reference. */
async function reconcile(provider: string, words = '', day: Day = today()) {
  const { code, out, err } = await commands().admin(
    `money reconcile --provider ${provider} --day ${day} --json ${words}`.trim(),
  );
  if (err) throw new Error(err);
  const { cases, ...statement } = JSON.parse(out);
  expect(code).toBe(statement.unexplained === 0 ? 0 : 2);
  return {
    ...statement,
    cases: cases.map(({ why, reference }: Record<string, string>) => [why, reference]),
  };
}

const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

/** A top-up of the sandbox, of airtime or a package; its reference. */
const topup = async (suffix = '000', productId?: number) => {
  const msisdn = `+2519${String(Math.random()).slice(2, 7)}${suffix}`;
  await (productId === undefined
    ? scene.asPartner.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale })
    : scene.asPartner.post('/topup-transactions/airtime-package-topup', {
        productId,
        msisdn,
        ...sale,
      }));
  const [found] = scene.stack.sandbox.books.topups({ to: msisdn });
  return found?.reference ?? '';
};

/** A payout of the sandbox; its reference. */
async function pay(): Promise<string> {
  const gift = await scene.gift({ owner: null });
  await scene.redeemed(scene.asMerchant, gift);
  return scene.stack.sandbox.books.payouts()[0]?.reference ?? '';
}

const fault = async (reference: string, name: string) =>
  expect(
    (await call(`${sandboxUrl()}/statements/faults`, { body: { reference, fault: name } })).status,
  ).toBe(200);

afterEach(() => {
  scene.stack.sandbox.books.statementFaults.clear();
  scene.stack.sandbox.books.paidIn.length = 0;
});

test('a day of payouts and top-ups has no difference, and its fees are booked once', async () => {
  await pay();
  await pay();
  await topup();
  await topup('002');
  const compared = await reconcile('gsma');
  expect(compared).toMatchObject({ state: 'COMPARED', source: 'api', lines: 2, cases: [] });
  expect(Number(compared.bookedFee)).toBe(2);
  expect(await reconcile('gsma')).toMatchObject({ bookedFee: compared.bookedFee, cases: [] });
  expect(await reconcile('dt-one')).toMatchObject({ lines: 2, cases: [] });
  const { rows } = await sql`select from ledger_transfers
    where operation_id = ${`provider-fee:gsma:${today()}`}`.execute(scene.stack.database);
  expect(rows).toHaveLength(1);
});

test.each([
  ['a deposit', { type: 'deposit' }],
  ['a transfer', { type: 'transfer' }],
  [
    'a transfer to another name of our account',
    { type: 'transfer', account: { key: 'organisationid', value: 'SC-77' } },
  ],
])('money that we pay in is no difference: %s', async (_what, paid) => {
  const { ignored } = await reconcile('gsma');
  const url = `${sandboxUrl()}/balances/gsma/paid-in`;
  expect((await call(url, { body: { amount: 5_000, ...paid } })).status).toBe(200);
  expect(await reconcile('gsma')).toMatchObject({ cases: [], ignored: ignored + 1 });
});

test('a transfer to an unknown name of our account is a case of its own', async () => {
  const account = { key: 'organisationid', value: 'nobody knows it' };
  const body = { amount: 5_000, type: 'transfer', account };
  expect((await call(`${sandboxUrl()}/balances/gsma/paid-in`, { body })).status).toBe(200);
  expect(await reconcile('gsma')).toMatchObject({ cases: [['foreign', null]] });
  scene.stack.sandbox.books.paidIn.length = 0;
  expect(await reconcile('gsma')).toMatchObject({ cases: [] });
});

/** The provider statement of today as a file. */
async function fileOf(provider: string): Promise<string> {
  const url = `${sandboxUrl()}/statements/${provider}/${today()}.csv?zone=${ZONE}`;
  const file = join(folder, `${provider}.csv`);
  await writeFile(file, await (await fetch(url)).text());
  return file;
}

test('a package that is sold at another price than its provider’s is no difference', async () => {
  await scene.stack.database
    .updateTable('products')
    .set({ price_amount: '18.50' })
    .where('id', '=', products.ethioPackage)
    .execute();
  await reconcile('dt-one');
  const reference = await topup('000', products.ethioPackage);
  expect(scene.stack.sandbox.books.findTopup({ reference })?.amount).toBe('15.00');
  expect(await reconcile('dt-one')).toMatchObject({ booked: 0, cases: [] });
  const byFile = await reconcile('dt-one', `--file ${await fileOf('dt-one')}`);
  expect(byFile).toMatchObject({ booked: 0, cases: [] });
});

test('a file of the provider says the same as its API', async () => {
  const paid = await pay();
  await fault(paid, 'amount');
  for (const provider of ['gsma', 'dt-one']) {
    const byApi = await reconcile(provider);
    const byFile = await reconcile(provider, `--file ${await fileOf(provider)}`);
    const { lines, unexplained, cases } = byApi;
    expect(byFile).toMatchObject({ source: 'file', lines, unexplained, cases });
  }
  const broken = join(folder, 'broken.csv');
  await writeFile(broken, 'amount\n5\n');
  const { err } = await commands().admin(
    `money reconcile --provider gsma --day ${today()} --file ${broken}`,
  );
  expect(err).toContain('The file lacks the columns transactionReference');

  // By a file without rows everything of its day would be missing there: an operator says so.
  const [header] = (await readFile(join(folder, 'gsma.csv'), 'utf8')).split('\n');
  await writeFile(broken, `${header}\n`);
  const ofNothing = `money reconcile --provider gsma --day 2026-01-02 --file ${broken}`;
  expect((await commands().admin(ofNothing)).err).toContain('add --empty. Nothing was compared.');
  expect(await commands().json(`${ofNothing} --empty`)).toMatchObject({ lines: 0, cases: [] });
});

test('a line of another amount is a case of its payment until somebody bears the difference', async () => {
  const paid = await pay();
  await fault(paid, 'amount');
  const { booked, unexplained } = await reconcile('gsma');
  expect([booked > 0, unexplained]).toEqual([true, 0]);
  const again = await commands().admin(`money reconcile --provider gsma --day ${today()}`);
  expect(again.out).not.toContain('changed our books');
  expect(await reconciled(scene.stack)).toContain(paid);
  await untilCase(scene.stack, paid, 'RUNNING');
  await settleCase(scene.stack, paid, 'platform');
  await (await caseWorkflow(scene.stack, paid)).signal('lookAgain');
  await untilCase(scene.stack, paid, 'COMPLETED');
  await reconcile('gsma');
  expect((await caseOf(scene.stack.database, paid)).closed_at).not.toBeNull();
});

/** Moves what was done to yesterday, here and at the providers. */
async function moveToYesterday(day: Day): Promise<void> {
  const noon = new Date(Date.parse(`${day}T09:00:00Z`));
  const { books } = scene.stack.sandbox;
  const taken: TakenRequest[] = [...books.allPayouts(), ...books.allTopups()];
  for (const one of taken) Object.assign(one, { takenAt: noon });
  await moveRows(
    scene.stack.database,
    taken.map(({ reference }) => reference),
    { began: noon, ended: noon },
  );
}

async function compareByWorkflow(history: string) {
  const workflowId = `compare-${randomUUID()}`;
  await scene.stack.temporal.client.workflow.start('compareStatements', {
    workflowId,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });
  return ended(scene.stack, workflowId, history);
}

describe('a Schedule compares the last closed day', () => {
  test('a provider that does not answer is tried again, then needs a person', async () => {
    const day = lastClosedDay(new Date(), ZONE);
    await moveToYesterday(day);
    await call(`${sandboxUrl()}/faults/gsma`, { method: 'PUT', body: { answers: 'unavailable' } });
    expect(await compareByWorkflow('compare-statements-failed')).toBeInstanceOf(Error);
    const { id } = await scene.stack.database
      .selectFrom('cases')
      .select('id')
      .where('subject', '=', `gsma ${day}`)
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow();
    await reconciled(scene.stack);
    const { config, temporal } = scene.stack;
    const handle = temporal.client.workflow.getHandle(
      caseId({ kind: 'case', id }, config.temporal.temporalTaskQueue),
    );
    expect((await handle.describe()).status.name).toBe('RUNNING');

    await call(`${sandboxUrl()}/faults`, { method: 'DELETE' });
    expect(await compareByWorkflow('compare-statements')).toMatchObject({
      compared: expect.arrayContaining([
        expect.stringMatching(new RegExp(`^gsma ${day}: .+, 0 not explained yet$`)),
      ]),
    });
    const found = await commands().json(`money reconcile --provider gsma --day ${day} --stored`);
    expect(found).toMatchObject({ state: 'COMPARED', cases: [] });
    await handle.signal('lookAgain');
    await handle.result();
  });

  test('it reads our balances, too', async () => {
    await call(`${sandboxUrl()}/balances/gsma`, { method: 'PUT', body: { amount: 41.5 } });
    const workflowId = `balances-${randomUUID()}`;
    await scene.stack.temporal.client.workflow.start('watchBalances', {
      workflowId,
      taskQueue: scene.stack.config.temporal.temporalTaskQueue,
    });
    await ended(scene.stack, workflowId, 'watch-balances');
    await until(async () =>
      expect(await commands().json('providers list-balances')).toMatchObject([
        // The credit of text messages is watched, too.
        { provider: 'africas-talking' },
        { provider: 'dt-one', currency: 'USD', amount: '1000000' },
        { provider: 'gsma', currency: 'ETB', amount: '41.50' },
        { provider: 'reloadly', currency: 'USD', amount: '1000000' },
      ]),
    );
  });
});
