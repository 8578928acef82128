import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { calls } from '../../../src/operations/workflow-calls.ts';
import { type Answer, merchantClient, newestCode } from '../../support/clients.ts';
import { deposit, makeMerchant } from '../../support/companies.ts';
import { untilBlocked } from '../../support/database-locks.ts';
import { forgetWorkflows } from '../../support/restarted.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import {
  CLAIM,
  type Client,
  done,
  GENERATE,
  type Gift,
  type GiftScene,
  newOwner,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';
import { AIRTIME, PACKAGE, RETRY, sale } from '../topups/topup-scene.ts';

/**
 * Keys whose operations were pruned: what a request did outlives them, and so does what it was. The
 * identical request gets its answer again, another one is refused, and nothing moves.
 */
let scene: GiftScene;
let products: TopupProducts;
beforeAll(async () => {
  scene = await setGiftScene({ CALLER_WAIT_SECONDS: '25' });
  products = await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '10000', 'airtime');
});
afterAll(() => scene?.stop());

type Surface = 'partner' | 'merchant';

/** A request under a key, and another one under the same key. */
interface Case {
  readonly surface: Surface;
  readonly path: string;
  readonly body: object;
  readonly other: object;
  readonly client?: Client;
  /** Of the first answer. */
  readonly status?: number;
}

const generation = () => ({
  denominationId: scene.partner.denominations[100],
  merchantId: scene.merchant.id,
  msisdn: newOwner(),
});

const voucher = (): Case => ({
  surface: 'partner',
  path: GENERATE,
  body: generation(),
  other: generation(),
});

async function redemption(surface: Surface): Promise<Case> {
  const { voucherCode } = await scene.gift({ owner: null });
  const body = { voucherCode, amount: 40 };
  return { surface, path: REDEEM, body, other: { ...body, amount: 41 } };
}

async function refusedPayment(): Promise<Case> {
  const merchant = await makeMerchant(scene.stack, { payoutSuffix: '006' });
  const { voucherCode } = await scene.gift({ merchant, owner: null });
  const client = await merchantClient(scene.stack, merchant);
  const body = { voucherCode, amount: 40 };
  const other = { voucherCode, amount: 41 };
  return { surface: 'merchant', path: REDEEM, body, other, client, status: 503 };
}

const airtime = (suffix: string, status = 200): Case => {
  const body = { amount: 50, msisdn: newOwner(suffix), ...sale };
  const other = { ...body, amount: 20, msisdn: newOwner() };
  return { surface: 'partner', path: AIRTIME, body, other, status };
};

function bundle(): Case {
  const body = { productId: products.ethioPackage, msisdn: newOwner(), ...sale };
  return { surface: 'partner', path: PACKAGE, body, other: { ...body, msisdn: newOwner() } };
}

async function failedTopup(): Promise<number> {
  const { body } = await scene.asPartner.post(AIRTIME, {
    amount: 50,
    msisdn: newOwner('002'),
    ...sale,
  });
  return body.data.transactionId;
}

async function retry(suffix: string, status = 200): Promise<Case> {
  const body = { transactionId: await failedTopup(), msisdn: newOwner(suffix) };
  const other = { ...body, msisdn: newOwner() };
  return { surface: 'partner', path: RETRY, body, other, status };
}

const clientOf = ({ client, surface }: Case) =>
  client ?? (surface === 'partner' ? scene.asPartner : scene.asMerchant);

const send = (one: Case, idempotencyKey: string, body: object): Promise<Answer> =>
  clientOf(one).post(one.path, { ...body, idempotencyKey }, { 'Idempotency-Key': idempotencyKey });

/** Forgets all operations, as the retention does, and their workflows. */
async function prune(): Promise<void> {
  const { database } = scene.stack;
  await until(async () => {
    const running = database.selectFrom('operations').select('id').where('status', '=', 'RUNNING');
    expect(await running.execute()).toEqual([]);
  });
  await forgetWorkflows(scene.stack);
  await database.deleteFrom('operations').execute();
}

const everything = async () => [
  await scene.holdings(),
  scene.stack.sandbox.books.topups(),
  await scene.stack.database.selectFrom('topups').selectAll().orderBy('id').execute(),
  await scene.stack.database
    .selectFrom('topup_attempts')
    .selectAll()
    .orderBy('reference')
    .execute(),
];

const cases: readonly (readonly [what: string, () => Case | Promise<Case>])[] = [
  ['a voucher', voucher],
  ["a merchant's redemption", () => redemption('merchant')],
  ["a partner's redemption", () => redemption('partner')],
  ['a redemption whose payment was refused', refusedPayment],
  ['an airtime top-up', () => airtime('050')],
  ['an airtime top-up that failed', () => airtime('002', 424)],
  ['a package', bundle],
  ['a retry', () => retry('050')],
  ['a retry that failed', () => retry('002', 424)],
];

interface Asked {
  readonly what: string;
  readonly one: Case;
  readonly key: string;
  readonly first: Answer;
}

async function ask([what, make]: (typeof cases)[number]): Promise<Asked> {
  const [one, key] = [await make(), randomUUID()];
  const first = await send(one, key, one.body);
  expect(first.status, `${what}: ${JSON.stringify(first.body)}`).toBe(one.status ?? 200);
  return { what, one, key, first };
}

test('a pruned key does nothing anew, and nothing else', async () => {
  const asked: Asked[] = [];
  for (const one of cases) asked.push(await ask(one));
  await prune();
  const before = await everything();
  for (const { what, one, key, first } of asked) {
    const other = await send(one, key, one.other);
    expect([what, other.body.statusCode]).toEqual([what, 422]);
    expectRefusal(other, one.surface, 422, { reason: 'key-reused' });
    const again = await send(one, key, one.body);
    expect([what, again.status, again.body]).toEqual([what, first.status, first.body]);
    expect(again.headers.get('Idempotent-Replayed'), what).toBe('true');
  }
  expect(await everything()).toEqual(before);
});

test('a first attempt that failed answers for itself after a retry has delivered', async () => {
  const one = airtime('002', 424);
  const key = randomUUID();
  const first = await send(one, key, one.body);
  const { transactionId } = first.body.data;
  done(await scene.asPartner.post(RETRY, { transactionId, msisdn: newOwner() }));
  await prune();
  // It failed, and its message no longer invites to a retry.
  const again = await send(one, key, one.body);
  const { data } = first.body;
  expectRefusal(again, 'partner', 424, { reason: 'topup-delivered-since', data });
});

test('a retry that joined another one keeps its answer, and is not made for itself', async () => {
  const transactionId = await failedTopup();
  const msisdn = newOwner('002');
  const keys = [randomUUID(), randomUUID()];
  const one: Case = {
    surface: 'partner',
    path: RETRY,
    body: { transactionId, msisdn },
    other: { transactionId },
  };
  const { database } = scene.stack;
  const asked = vi.spyOn(calls.retry, 'send');
  const { sent } = await database.transaction().execute(async (transaction) => {
    const topup = transaction.selectFrom('topups').select('id').where('id', '=', transactionId);
    await topup.forNoKeyUpdate().executeTakeFirstOrThrow();
    const answers = keys.map((key) => send(one, key, one.body));
    // Both are on their way, and the first of them waits for the row to make its attempt.
    await until(() => expect(asked).toHaveBeenCalledTimes(2));
    await untilBlocked(database);
    return { sent: answers };
  });
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([424, 424]);
  await prune();
  const before = await everything();
  for (const [index, key] of keys.entries()) {
    const again = await send(one, key, one.body);
    expect(again.body).toEqual(answers[index]?.body);
    expectRefusal(await send(one, key, one.other), 'partner', 422, { reason: 'key-reused' });
  }
  expect(await everything()).toEqual(before);
});

test.each(['partner', 'merchant'] as const)(
  '%s: the key of a claim that has ended is free again, for the same voucher and for another',
  async (surface) => {
    const [gift, other] = [await scene.gift(), await scene.gift()];
    const key = randomUUID();
    const one = { surface, path: CLAIM, body: {}, other: {} };
    for (const { owner, voucherCode } of [gift, gift, other]) {
      done(await send(one, key, { voucherCode, amount: 40 }));
      const verificationCode = await newestCode(scene.stack, owner ?? '');
      done(await clientOf(one).post(REDEEM, { voucherCode, verificationCode }));
      await prune();
    }
    const left = async (one: Gift) => Number((await scene.voucher(one)).remaining);
    expect([await left(gift), await left(other)]).toEqual([18, 59]);
  },
);
