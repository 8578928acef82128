import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.js';
import { createPaymentActivities } from '../../../activities/redemptions/payments.js';
import { createTopupOrderActivities } from '../../../activities/topups/topup-orders.js';
import { createDigests } from '../../../src/crypto/digests.js';
import { addRoute } from '../../../src/db/providers/provider-routes.js';
import { lookUpByPrefix } from '../../../src/providers/airtime/operator-lookup.js';
import type { ProviderInquiry, ProviderOutcome } from '../../../src/providers/outcome.js';
import { makeVoucher, redemptions, topUp } from '../../admin/movements.js';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from '../../admin/scene.js';
import { testNumbers } from '../../end-to-end/privacy/stored-numbers.js';

/** Two providers of payments and of top-ups; the second one is asked where the first did nothing. */
let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  for (const wallet of ['gift', 'airtime'])
    await scene.json(`deposit --partner ${catalogue.partnerId} --wallet ${wallet} --amount 100000`);
  const none = { operator: null, partner_id: null, merchant_id: null };
  const always = { ...none, amount_from: null, amount_to: null };
  for (const [kind, provider, position] of [
    ['payout', 'gsma', 1],
    ['payout', 'mpesa', 2],
    ['topup-airtime', 'dt-one', 1],
    ['topup-airtime', 'reloadly', 2],
  ] as const)
    await scene.database
      .transaction()
      .execute((transaction) => addRoute(transaction, { kind, provider, position, ...always }));
});
afterAll(() => scene?.close());

const delivered: ProviderOutcome = { kind: 'delivered', providerReference: 'P-1' };
const notSent: ProviderOutcome = { kind: 'not-sent', message: 'no connection' };
const unknown: ProviderOutcome = { kind: 'unknown', message: 'no answer' };
const refused = (retryCanHelp: boolean): ProviderOutcome => ({
  kind: 'refused',
  code: 'X',
  message: 'the float is empty',
  retryCanHelp,
});

/** What each provider was asked, in order: "first send", "second ask". */
let asked: string[];
/** What each provider answers to a sending; a function may break off the activity. */
let answers: Record<'first' | 'second', () => ProviderOutcome>;
let unavailable: string | undefined;

beforeEach(() => {
  asked = [];
  answers = { first: () => delivered, second: () => delivered };
  unavailable = undefined;
});

/** A set of the two under these names. */
function setOf(first: string, second: string) {
  const port = (who: 'first' | 'second') => {
    const send = async (): Promise<ProviderOutcome> => {
      asked.push(`${who} send`);
      return answers[who]();
    };
    const ask = async (): Promise<ProviderInquiry> => {
      asked.push(`${who} ask`);
      return { kind: 'never-seen' };
    };
    return {
      repetition: 'safe',
      canCarry: () => true,
      canSend: () => true,
      pay: send,
      send,
      findPayment: ask,
      findOrder: ask,
    };
  };
  const ports = new Map([
    [first, port('first')],
    [second, port('second')],
  ]);
  return {
    defaultName: first,
    names: [first, second],
    named: (name: string | null) => ports.get(name ?? first),
    isAvailable: (name: string) => name !== unavailable,
  };
}

const activities = () => {
  const dependencies = {
    database: scene.database,
    digests: createDigests(Buffer.alloc(32, 7)),
    numbers: testNumbers,
    operatorLookup: lookUpByPrefix,
    failpoint: () => undefined,
    mobileMoney: setOf('gsma', 'mpesa'),
    airtime: setOf('dt-one', 'reloadly'),
  } as unknown as ActivityDependencies;
  return { ...createPaymentActivities(dependencies), ...createTopupOrderActivities(dependencies) };
};

/** Runs an activity as Temporal does, in the given attempt. */
const inAttempt = <Result>(attempt: number, run: () => Promise<Result>): Promise<Result> => {
  const log = { warn: () => undefined, error: () => undefined };
  const context = { info: { attempt }, heartbeat: () => undefined, log };
  return asyncLocalStorage.run(context as unknown as Context, run);
};

const pay = (operationId: string, { attempt = 1, isFirst = true } = {}) =>
  inAttempt(attempt, () => activities().payMerchant(operationId, 1, isFirst));

const hold = async () => {
  const { id } = await makeVoucher(scene.database, catalogue);
  return redemptions(scene.database, catalogue).hold(id);
};

const providerOf = async (operationId: string) =>
  (
    await scene.database
      .selectFrom('redemptions')
      .select('provider')
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow()
  ).provider;

const failoversOf = (operationId: string) =>
  scene.database
    .selectFrom('provider_failovers')
    .select(['from_provider', 'to_provider', 'message'])
    .where('operation_id', '=', operationId)
    .execute();

describe('a payment', () => {
  it('that was not sent goes to the next provider, once', async () => {
    answers.first = () => notSent;
    const operationId = await hold();
    const told = {
      provider: 'mpesa',
      failovers: [{ from: 'gsma', message: 'no connection' }],
    };
    expect(await pay(operationId)).toMatchObject({ kind: 'delivered', asked: told });
    expect(asked).toEqual(['first send', 'second send']);
    expect(await providerOf(operationId)).toBe('mpesa');
    expect(await failoversOf(operationId)).toEqual([
      { from_provider: 'gsma', to_provider: 'mpesa', message: 'no connection' },
    ]);
    const inquiry = await inAttempt(1, () => activities().inquirePayment(operationId));
    expect(inquiry).toMatchObject({ asked: told });
    expect(asked.at(-1)).toBe('second ask');
  });

  it.each([
    ['is unknown', () => unknown, {}],
    ['is refused for a reason of its own', () => refused(false), {}],
    ['is refused for a reason of the provider', () => refused(true), {}],
    ['may have been sent before', () => notSent, { isFirst: false }],
    ['is sent again after a crash', () => notSent, { attempt: 2 }],
  ])('that %s goes to nobody else', async (_, first, options) => {
    answers.first = first;
    const operationId = await hold();
    const outcome = await pay(operationId, options);
    expect(outcome.kind).not.toBe('delivered');
    expect(asked).toEqual(['first send']);
    expect(await providerOf(operationId)).toBe('gsma');
    expect(await failoversOf(operationId)).toEqual([]);
  });

  it('that both refuse is refused, and neither is asked again', async () => {
    answers = { first: () => notSent, second: () => refused(true) };
    const operationId = await hold();
    expect(await pay(operationId)).toMatchObject({ kind: 'refused' });
    expect(await pay(operationId)).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual(['first send', 'second send', 'second send']);
  });

  it('goes to no provider that is out of order', async () => {
    answers.first = () => notSent;
    unavailable = 'mpesa';
    const operationId = await hold();
    expect(await pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(asked).toEqual(['first send']);
  });

  it('whose worker dies after the switch is asked about where it may have arrived', async () => {
    answers.first = () => notSent;
    answers.second = () => {
      throw new Error('the worker is gone');
    };
    const operationId = await hold();
    await expect(pay(operationId)).rejects.toThrow('gone');
    answers.second = () => notSent;
    expect(await pay(operationId, { attempt: 2 })).toMatchObject({ kind: 'unknown' });
    expect(asked).toEqual(['first send', 'second send', 'second send']);
  });

  it('whose worker dies before the switch stays with the first', async () => {
    answers.first = () => {
      throw new Error('the worker is gone');
    };
    const operationId = await hold();
    await expect(pay(operationId)).rejects.toThrow('gone');
    answers.first = () => refused(true);
    expect(await pay(operationId, { attempt: 2 })).toMatchObject({ kind: 'unknown' });
    expect(asked).toEqual(['first send', 'first send']);
    expect(await providerOf(operationId)).toBe('gsma');
  });

  it('whose outcome was unknown before its workflow was reset goes to nobody else', async () => {
    const operationId = await hold();
    answers.first = () => unknown;
    expect(await pay(operationId)).toMatchObject({ kind: 'unknown' });
    answers.first = () => notSent;
    expect(await pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(asked).toEqual(['first send', 'first send']);
  });

  it('that has ended meanwhile goes to nobody else', async () => {
    const operationId = await hold();
    answers.first = () => notSent;
    await redemptions(scene.database, catalogue).void(operationId);
    expect(await pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(asked).toEqual(['first send']);
  });
});

it('a top-up whose outcome was unknown goes to nobody else', async () => {
  answers.first = () => notSent;
  const topupId = await topUp(scene.database, catalogue.partnerId, '50');
  await scene.database
    .updateTable('topups')
    .set({ status: 'UNKNOWN' })
    .where('id', '=', topupId)
    .execute();
  const { operation_id: operationId } = await scene.database
    .selectFrom('topup_attempts')
    .select('operation_id')
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  const outcome = await inAttempt(1, () => activities().sendTopUp(operationId, 1, true));
  expect(outcome).toMatchObject({ kind: 'not-sent' });
  expect(asked).toEqual(['first send']);
});

it('a top-up that was not sent goes to the next provider', async () => {
  answers.first = () => notSent;
  const topupId = await topUp(scene.database, catalogue.partnerId, '50');
  const find = () =>
    scene.database
      .selectFrom('topup_attempts')
      .select(['operation_id', 'provider'])
      .where('topup_id', '=', topupId)
      .executeTakeFirstOrThrow();
  const { operation_id: operationId } = await find();
  const outcome = await inAttempt(1, () => activities().sendTopUp(operationId, 1, true));
  expect(outcome).toMatchObject({ kind: 'delivered' });
  expect(asked).toEqual(['first send', 'second send']);
  expect(await find()).toMatchObject({ provider: 'reloadly' });
  expect(await failoversOf(operationId)).toHaveLength(1);
});
