import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paymentOf } from '../../../activities/redemptions/payments.ts';
import { redemptionPayment } from '../../../src/db/vouchers/redemptions.ts';
import type { ProviderName } from '../../../src/domain/providers.ts';
import { mpesaOfSettings } from '../../../src/providers/of-settings.ts';
import { suffixRows } from '../../../src/sandbox/scenarios.ts';
import { askAll, placementsOf } from '../../positions/placements.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { type BrokenScene, setBrokenScene } from './broken-providers-scene.ts';
import {
  type Booked,
  given,
  type Kind,
  kindOf,
  type MetOperation,
  toldBy,
} from './met-operations.ts';
import { reconciled } from './reconciled.ts';

/**
 * Each scenario of the sandbox, by every order of two providers of a kind, and many by the second one while the
 * first takes nothing. Our state is what the books of both say together, and value is given at most once.
 */
let scene: BrokenScene;
/** Every operation that has ended, and what it came to. */
const ended: { readonly operation: MetOperation; readonly kind: Kind; readonly suffix: string }[] =
  [];

beforeAll(async () => {
  scene = await setBrokenScene();
});
afterAll(() => scene?.stop());

type Route = readonly [first: ProviderName, second: ProviderName];

const routes: Readonly<Record<Kind, readonly Route[]>> = {
  payment: [
    ['gsma', 'mpesa'],
    ['mpesa', 'gsma'],
  ],
  'top-up': [
    ['dt-one', 'reloadly'],
    ['reloadly', 'dt-one'],
  ],
  message: [
    ['africas-talking', 'smpp'],
    ['smpp', 'africas-talking'],
  ],
};
const kinds = Object.keys(routes) as Kind[];

/** What a person at the provider decides about what stays pending. */
type Decision = 'completed' | 'failed';

/** The scenarios of the sandbox, one that is slower than our patience, and both ends of a pending one. */
const scenarios: readonly (readonly [suffix: string, decision: Decision])[] = [
  ...suffixRows.map(({ suffix }) => [`0${suffix}`, 'completed'] as const),
  ['014', 'failed'],
  ['300', 'completed'],
];

/** Each outcome, and each way to leave it open. How a provider tells it is the same to whoever was asked before. */
const afterAnother = scenarios.filter(([suffix]) =>
  ['000', '002', '007', '008', '014', '015', '016', '018', '300'].includes(suffix),
);

const isTakenBack = (suffix: string) => suffix === '015';

/** How each kind ends that is not done in the end. */
const otherEnds: Readonly<Record<Kind, Readonly<Record<string, Booked>>>> = {
  payment: {
    '002': 'not done',
    '003': 'not done',
    '004': 'not done',
    '006': 'not done',
    '007': 'not done',
    '016': 'not done',
    '018': 'not done',
  },
  'top-up': {
    '002': 'not done',
    '003': 'not done',
    '004': 'not done',
    '005': 'not done',
    '006': 'not done',
    '007': 'not done',
    '016': 'not done',
    '018': 'not done',
  },
  // Nobody can be asked about a message, so that one without an answer stays unknown.
  message: {
    '002': 'not done',
    '003': 'not done',
    '004': 'not done',
    '006': 'not done',
    '007': 'not done',
    '008': 'on hold',
    '009': 'on hold',
    '016': 'not done',
    '018': 'not done',
    '019': 'not done',
    '300': 'on hold',
  },
};

async function endOf(
  operation: MetOperation,
  { kind, suffix, decision }: { kind: Kind; suffix: string; decision: Decision },
): Promise<Booked> {
  if (kind !== 'message' && suffix === '014' && decision === 'failed') return 'not done';
  // A system error of an SMSC says nothing about the message.
  if (kind === 'message' && suffix === '007' && (await operation.lastAsked()) === 'smpp')
    return 'on hold';
  return otherEnds[kind][suffix] ?? 'done';
}

/** Whether our state is what the books of all providers say together. */
async function expectAgreement(operation: MetOperation, kind: Kind, suffix: string): Promise<void> {
  const booked = await operation.booked();
  const books = operation.inBooks();
  const statuses = books.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 'failed').length).toBeLessThan(2);
  expect(new Set(books.map(({ provider }) => provider)).size).toBeLessThan(2);
  for (const { provider } of books) expect(provider).toBe(await operation.lastAsked());
  if (booked === 'not done') expect(statuses.filter((status) => status !== 'failed')).toEqual([]);
  if (booked !== 'done') return;
  if (!isTakenBack(suffix)) return expect(statuses).toEqual(['completed']);
  // The phone never got the message; what was paid is taken back.
  if (kind === 'message') return expect(statuses).toEqual([]);
  return expect(['completed', 'reversed']).toContain(statuses[0]);
}

async function meetScenario(
  route: Route,
  { suffix, decision }: { readonly suffix: string; readonly decision: Decision },
): Promise<MetOperation> {
  const kind = kindOf[route[0]];
  const operation = await (await scene.operationsAt(...route))(suffix);
  const first = await operation.send();
  // Without a row nothing is booked, and a caller may be answered before there is one.
  if (toldBy(first, kind) === undefined)
    await until(async () => expect(await operation.lastAsked()).toBeDefined());
  if (kind !== 'message' && suffix === '014') await decide(operation, kind, decision);
  if (kind !== 'message' && suffix === '018') await settleWhatNobodyTells(operation);
  await until(async () =>
    expect(await operation.booked()).toBe(await endOf(operation, { kind, suffix, decision })),
  );
  await until(() => expectAgreement(operation, kind, suffix));
  const booked = await operation.booked();
  expect([undefined, booked]).toContain(toldBy(first, kind));
  if (kind !== 'message')
    await until(async () => expect(toldBy(await operation.send(), kind)).toBe(booked));
  ended.push({ operation, kind, suffix });
  return operation;
}

/** While the provider has not ended it, the money is on hold. */
async function decide(operation: MetOperation, kind: Kind, status: Decision): Promise<void> {
  const entry = await until(() => {
    const [found] = operation.inBooks();
    if (!found) throw new Error('No provider has taken it');
    return found;
  });
  expect(entry.status).toBe('pending');
  expect(await operation.booked()).toBe('on hold');
  const collection = kind === 'payment' ? 'payouts' : 'topups';
  const url = `${scene.stack.sandbox.url}/books/${collection}/${entry.reference}`;
  expect((await call(url, { body: { status } })).status).toBe(200);
}

/** A 401 of a gateway proves nothing: the order is on hold until a person asks the provider. */
async function settleWhatNobodyTells(operation: MetOperation): Promise<void> {
  expect(await operation.booked()).toBe('on hold');
  expect(operation.inBooks()).toEqual([]);
  await operation.settleAsNotDone();
}

/** The session of SMPP is one for all, and a scenario that drops or throttles it spoils the next. */
async function untilSmppTakes(): Promise<void> {
  const prepare = await scene.operationsAt('smpp');
  await until(async () => {
    const operation = await prepare();
    await operation.send();
    expect(await operation.booked()).toBe('done');
  });
}

describe.concurrent.each(kinds)('a %s, of two providers', (kind) => {
  test.each(
    routes[kind].flatMap((route) => scenarios.map((scenario) => [...route, ...scenario] as const)),
  )(
    '%s then %s: %s, %s',
    { concurrent: kind !== 'message' },
    async (first, second, suffix, decision) => {
      if (kind === 'message') await untilSmppTakes();
      await meetScenario([first, second], { suffix, decision });
    },
  );
});

describe.each([0, 1])('the first one takes nothing: order %i', (order) => {
  const orders = kinds.map((kind) => routes[kind][order] as Route);
  beforeAll(async () => {
    for (const [first] of orders) await scene.breakProvider(first, { answers: 'not-authorised' });
  });
  afterAll(async () => {
    for (const [first] of orders) await scene.breakProvider(first);
  });

  describe.concurrent.each(orders)('%s, then %s', (first, second) => {
    const concurrent = kindOf[first] !== 'message';
    test.each(afterAnother)('%s, %s', { concurrent }, async (suffix, decision) => {
      if (second === 'smpp') await untilSmppTakes();
      const operation = await meetScenario([first, second], { suffix, decision });
      expect(await operation.lastAsked()).toBe(second);
    });
  });
});

test('after everything is asked about again, all still agree, and what was taken back is told', async () => {
  const { database } = scene.stack;
  // The first ones of each failover, too: they did nothing, as they had said.
  await askAll(database);
  await reconciled(scene.stack);
  const { rows } = await sql`select from cases where amount > 0`.execute(database);
  expect(rows).toEqual([]);
  expect(ended).toHaveLength((scenarios.length + afterAnother.length) * 6);
  for (const { operation, kind, suffix } of ended) {
    await expectAgreement(operation, kind, suffix);
    if (kind === 'message' || !isTakenBack(suffix)) continue;
    expect(given(operation)).toBe(0);
    if ((await operation.booked()) === 'done')
      expect(await operation.page()).toMatch(/took (the payment|it|ETB [\d,.]+) back/);
  }
});

test('a payment that M-Pesa made after all, and tells by a callback, is a case', async () => {
  const { database, config } = scene.stack;
  const operation = await (await scene.operationsAt('mpesa', 'gsma'))();
  await scene.breakProvider('mpesa', { answers: 'not-authorised' });
  await until(async () => expect(toldBy(await operation.send(), 'payment')).toBe('done'));
  await scene.breakProvider('mpesa');
  const { operation_id: operationId } = await database
    .selectFrom('redemptions')
    .select('operation_id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  // It answered 401, and let the request through later all the same.
  const payment = paymentOf(await redemptionPayment(database, operationId));
  await mpesaOfSettings(config)?.pay(payment);
  await until(() => expect(given(operation)).toBe(2));
  await until(async () => {
    const [first] = await placementsOf(database, operationId);
    expect(first).toMatchObject({ provider: 'mpesa', doubted_at: expect.any(Date) });
  });
  expect(await reconciled(scene.stack)).toContain('Two providers did one order');
  expect(await operation.page()).toContain('M-Pesa says that it did');
});
