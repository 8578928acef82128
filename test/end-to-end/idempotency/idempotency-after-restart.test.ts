import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, merchantClient, newestCode, partnerClient } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { forgetWorkflows, restarted } from '../../support/restarted.ts';
import type { Stack } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import {
  CLAIM,
  type Client,
  done,
  GENERATE,
  type Gift,
  type GiftScene,
  newOwner,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';
import { sale } from '../topups/topup-scene.ts';

/**
 * The database is the truth: after everything was started anew and Temporal remembers no
 * workflow any more, every request is still answered as it was the first time, and nothing moves.
 */
let scene: GiftScene;
let stack: Stack;
let leftOver: Gift;
beforeAll(async () => {
  scene = await setGiftScene({ CALLER_WAIT_SECONDS: '25' });
  stack = scene.stack;
  leftOver = await scene.gift();
});
afterAll(() => stack?.stop());

type Surface = 'partner' | 'merchant';

/** A request with a key of its own, sent by whichever client of its surface. */
interface Asked {
  readonly what: string;
  readonly surface: Surface;
  send(client: Client): Promise<Answer>;
}

function ask(what: string, surface: Surface, path: string, body: object): Asked {
  const idempotencyKey = randomUUID();
  const headers = { 'Idempotency-Key': idempotencyKey };
  return {
    what: `${what} (${surface})`,
    surface,
    send: (client) => client.post(path, { ...body, idempotencyKey }, headers),
  };
}

async function gifts(surface: Surface): Promise<Asked[]> {
  const client = surface === 'partner' ? scene.asPartner : scene.asMerchant;
  const [claimed, redeemed, mistyped, open] = [
    await scene.gift(),
    await scene.gift(),
    await scene.gift(),
    await scene.gift({ owner: null }),
  ];
  const code = await scene.claimed(client, redeemed);
  const wrongCode = otherCode(await scene.claimed(client, mistyped));
  const codeOf = ({ voucherCode }: { voucherCode: string }) => ({ voucherCode });
  return [
    ask('claim', surface, CLAIM, codeOf(claimed)),
    ask('redeem', surface, REDEEM, { ...codeOf(redeemed), verificationCode: code }),
    ask('redeem with a wrong code', surface, REDEEM, {
      ...codeOf(mistyped),
      verificationCode: wrongCode,
    }),
    ask('redeem without a claim', surface, REDEEM, { ...codeOf(open), amount: 40 }),
  ];
}

async function topups(): Promise<Asked[]> {
  const products = await makeTopupProducts(stack, scene.partner);
  await deposit(stack, scene.partner.id, '1000', 'airtime');
  const path = '/topup-transactions/airtime-topup';
  const airtime = { amount: 50, ...sale };
  const failed = await scene.asPartner.post(path, { ...airtime, msisdn: newOwner('002') });
  const { transactionId } = failed.body.data;
  return [
    ask('airtime', 'partner', path, { ...airtime, msisdn: newOwner() }),
    ask('airtime that fails', 'partner', path, { ...airtime, msisdn: newOwner('002') }),
    ask('package', 'partner', '/topup-transactions/airtime-package-topup', {
      productId: products.ethioPackage,
      msisdn: newOwner(),
      ...sale,
    }),
    ask('retry', 'partner', '/topup-transactions/retry-topup', {
      transactionId,
      msisdn: newOwner(),
    }),
  ];
}

const everything = async () => {
  const { database, sandbox } = stack;
  const count = (table: 'operations' | 'messages' | 'topup_attempts' | 'verification_attempts') =>
    database
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
  return [
    await scene.holdings(),
    await count('operations'),
    await count('messages'),
    await count('topup_attempts'),
    await count('verification_attempts'),
    sandbox.books.topups(),
  ];
};

const DUPLICATES = 2;

test('every request is answered as the first time', async () => {
  const asked: Asked[] = [
    ask('generate', 'partner', GENERATE, {
      denominationId: scene.partner.denominations[100],
      merchantId: scene.merchant.id,
      msisdn: newOwner(),
    }),
    ...(await gifts('partner')),
    ...(await gifts('merchant')),
    ...(await topups()),
  ];
  const before = { partner: scene.asPartner, merchant: scene.asMerchant };
  const answers = await Promise.all(asked.map((one) => one.send(before[one.surface])));
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(10);
  const left = await everything();

  stack = await restarted(stack);
  expect(await forgetWorkflows(stack)).toBeGreaterThanOrEqual(asked.length);

  const after = {
    partner: await partnerClient(stack, scene.partner),
    merchant: await merchantClient(stack, scene.merchant),
  };
  for (const [index, one] of asked.entries()) {
    const again = await Promise.all(
      Array.from({ length: DUPLICATES }, () => one.send(after[one.surface])),
    );
    for (const answer of again) {
      expect(JSON.stringify(answer.body), one.what).toBe(JSON.stringify(answers[index]?.body));
      expect(answer.status).toBe(answers[index]?.status);
      expect(answer.headers.get('Idempotent-Replayed'), one.what).toBe('true');
    }
  }
  expect(await everything()).toEqual(left);
});

test('a claim whose workflow is gone is redeemed all the same, once', async () => {
  const client = await merchantClient(stack, scene.merchant);
  const { voucherCode } = leftOver;
  done(await client.post(CLAIM, { voucherCode }));
  const verificationCode = await newestCode(stack, leftOver.owner ?? '');
  expect(await forgetWorkflows(stack)).toBeGreaterThan(0);
  const paid = scene.payoutsTo(scene.merchant).length;
  const redeem = ask('redeem', 'merchant', REDEEM, { voucherCode, verificationCode });
  const first = done(await redeem.send(client));
  await forgetWorkflows(stack);
  expect((await redeem.send(client)).body).toEqual(first.body);
  expect(scene.payoutsTo(scene.merchant)).toHaveLength(paid + 1);
  expect(await scene.voucher(leftOver)).toMatchObject({ status: 'REDEEMED' });
});
