import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Day, dayOfTime, lastClosedDay } from '../../../src/domain/reports/day-report.ts';
import type { TakenRequest } from '../../../src/sandbox/accepted-requests.ts';
import { commandsOn } from '../../admin/scene.ts';
import { moveRows } from '../../db/provider-statements/move-rows.ts';
import { call } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { providerSettings } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { type GiftScene, setGiftScene } from '../gift/gift-scene.ts';

const ZONE = 'Africa/Addis_Ababa';
const settings = {
  PROVIDER_STATEMENT_MARGIN_SECONDS: '1',
  MOBILE_MONEY_ACCOUNT: 'sandbox, SC-77, SC-78',
};

let scene: GiftScene;
let folder: string;

beforeAll(async () => {
  scene = await setGiftScene({
    ...settings,
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    PROVIDER_STATEMENT_RETRY_SECONDS: '0.1',
    PROVIDER_STATEMENT_TRIES: '2',
    REVERSAL_WATCH_SECONDS: '0',
  });
  folder = await mkdtemp(join(tmpdir(), 'statements-'));
  await makeTopupProducts(scene.stack, scene.partner);
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

/** Compares a day as an operator; the breaks as type and our reference. */
async function reconcile(provider: string, words = '', day: Day = today()) {
  const { code, out, err } = await commands().admin(
    `reconcile --provider ${provider} --day ${day} --json ${words}`.trim(),
  );
  expect(err).toBe('');
  const { breaks, ...statement } = JSON.parse(out);
  expect(code).toBe(breaks.length === 0 ? 0 : 2);
  return {
    ...statement,
    breaks: breaks.map(({ type, reference }: Record<string, string>) => [type, reference]),
  };
}

const topUp = async (suffix = '000') => {
  const msisdn = `+2519${String(Math.random()).slice(2, 7)}${suffix}`;
  await scene.asPartner.post('/topup-transactions/airtime-topup', {
    ...{ amount: 50, msisdn, exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' },
  });
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

test('a day of payouts and top-ups has no break, and its fees are booked once', async () => {
  await pay();
  await pay();
  await topUp();
  await topUp('002');
  const compared = await reconcile('gsma');
  expect(compared).toMatchObject({ state: 'COMPARED', source: 'api', lines: 2, breaks: [] });
  expect(Number(compared.bookedFee)).toBe(2);
  expect(await reconcile('gsma')).toMatchObject({ bookedFee: compared.bookedFee, breaks: [] });
  expect(await reconcile('dt-one')).toMatchObject({ lines: 2, breaks: [] });
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
])('money that we pay in is no break: %s', async (_what, paid) => {
  const { ignored } = await reconcile('gsma');
  const url = `${sandboxUrl()}/balances/gsma/paid-in`;
  expect((await call(url, { body: { amount: 5_000, ...paid } })).status).toBe(200);
  expect(await reconcile('gsma')).toMatchObject({ breaks: [], ignored: ignored + 1 });
});

test('a transfer to an unknown name of our account is a break of its own, which says what to do', async () => {
  const account = { key: 'organisationid', value: 'nobody knows it' };
  const body = { amount: 5_000, type: 'transfer', account };
  expect((await call(`${sandboxUrl()}/balances/gsma/paid-in`, { body })).status).toBe(200);
  expect(await reconcile('gsma')).toMatchObject({ breaks: [['unordered', null]] });
  scene.stack.sandbox.books.paidIn.length = 0;
  expect(await reconcile('gsma')).toMatchObject({ breaks: [] });
});

test('a file of the provider says the same as its API', async () => {
  const paid = await pay();
  await fault(paid, 'amount');
  for (const provider of ['gsma', 'dt-one']) {
    const url = `${sandboxUrl()}/statements/${provider}/${today()}.csv?zone=${ZONE}`;
    const file = join(folder, `${provider}.csv`);
    await writeFile(file, await (await fetch(url)).text());
    const byApi = await reconcile(provider);
    const byFile = await reconcile(provider, `--file ${file}`);
    expect(byFile).toMatchObject({ source: 'file', lines: byApi.lines, breaks: byApi.breaks });
    if (provider === 'gsma') expect(byApi.breaks).toContainEqual(['amount', paid]);
  }
  const broken = join(folder, 'broken.csv');
  await writeFile(broken, 'amount\n5\n');
  const { err } = await commands().admin(
    `reconcile --provider gsma --day ${today()} --file ${broken}`,
  );
  expect(err).toContain('The file lacks the columns transactionReference');

  // By a file without rows everything of its day would be missing there: an operator says so.
  const [header] = (await readFile(join(folder, 'gsma.csv'), 'utf8')).split('\n');
  await writeFile(broken, `${header}\n`);
  const ofNothing = `reconcile --provider gsma --day 2026-01-02 --file ${broken}`;
  expect((await commands().admin(ofNothing)).err).toContain('add --empty. Nothing was compared.');
  expect(await commands().json(`${ofNothing} --empty`)).toMatchObject({ lines: 0, breaks: [] });
});

test('a break is a case until an operator settles it, with name and note', async () => {
  const paid = await pay();
  await fault(paid, 'amount');
  await reconcile('gsma');
  const found = (await commands().json('list breaks')).find(
    ({ reference }: { reference: string }) => reference === paid,
  );
  await scene.stack.temporal.client.workflow
    .execute('reconcile', {
      workflowId: `reconcile-${randomUUID()}`,
      taskQueue: scene.stack.config.TEMPORAL_TASK_QUEUE,
    })
    .catch(() => undefined);
  const handle = scene.stack.temporal.client.workflow.getHandle(`case:break:${found.id}`);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  const settle = ['settle', 'break', String(found.id), '--note', 'Their typing error'];
  expect((await commands().admin(settle)).out).toContain('is settled');
  await handle.signal('lookAgain');
  await handle.result();
  expect((await commands().admin(settle)).out).toContain('was settled by hanna before');
  expect((await reconcile('gsma')).breaks).not.toContainEqual(['amount', paid]);
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
    taskQueue: scene.stack.config.TEMPORAL_TASK_QUEUE,
  });
  return ended(scene.stack, workflowId, history);
}

describe('a Schedule compares the last closed day', () => {
  test('a provider that does not answer is tried again, then needs a person', async () => {
    const day = lastClosedDay(new Date(), ZONE);
    await moveToYesterday(day);
    await call(`${sandboxUrl()}/faults/gsma`, { method: 'PUT', body: { answers: 'unavailable' } });
    expect(await compareByWorkflow('compare-statements-failed')).toBeInstanceOf(Error);
    const handle = scene.stack.temporal.client.workflow.getHandle(`case:statement:gsma:${day}`);
    expect((await handle.describe()).status.name).toBe('RUNNING');

    await call(`${sandboxUrl()}/faults`, { method: 'DELETE' });
    expect(await compareByWorkflow('compare-statements')).toMatchObject({
      compared: expect.arrayContaining([`gsma ${day}: 0 open breaks`]),
    });
    const found = await commands().json(`reconcile --provider gsma --day ${day} --stored`);
    expect(found).toMatchObject({ state: 'COMPARED', breaks: [] });
    await handle.signal('lookAgain');
    await handle.result();
  });

  test('it reads our balances, too', async () => {
    await call(`${sandboxUrl()}/balances/gsma`, { method: 'PUT', body: { amount: 41.5 } });
    const workflowId = `balances-${randomUUID()}`;
    await scene.stack.temporal.client.workflow.start('watchBalances', {
      workflowId,
      taskQueue: scene.stack.config.TEMPORAL_TASK_QUEUE,
    });
    await ended(scene.stack, workflowId, 'watch-balances');
    await until(async () =>
      expect(await commands().json('list provider-balances')).toMatchObject([
        // The credit of text messages is watched, too.
        { provider: 'africas-talking' },
        { provider: 'dt-one', currency: 'USD', amount: '1000000' },
        { provider: 'gsma', currency: 'ETB', amount: '41.50' },
        { provider: 'reloadly', currency: 'USD', amount: '1000000' },
      ]),
    );
  });
});
