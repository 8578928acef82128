import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, wasReplayed } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import {
  CLAIM,
  done,
  GENERATE,
  type GiftScene,
  newOwner,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';
import { AIRTIME, PACKAGE, RETRY, sale } from '../topups/topup-scene.ts';
import { expectRefusal } from './refusals.ts';

/** Where a field is optional, null means absent, on both APIs; and how requests of before are known. */
let scene: GiftScene;
let products: TopupProducts;
beforeAll(async () => {
  scene = await setGiftScene({ CALLER_WAIT_SECONDS: '25' });
  products = await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '10000', 'airtime');
});
afterAll(() => scene?.stop());

type Surface = 'partner' | 'merchant';

const post = (surface: Surface, path: string, body: object, idempotencyKey: string) => {
  const client = surface === 'partner' ? scene.asPartner : scene.asMerchant;
  return client.post(path, { ...body, idempotencyKey }, { 'Idempotency-Key': idempotencyKey });
};

const noSale = {
  exchangeRate: null,
  currency: null,
  originatingCountry: null,
  foreignCurrencyAmount: null,
};
const generation = () => ({
  denominationId: scene.partner.denominations[100],
  merchantId: scene.merchant.id,
  msisdn: newOwner(),
});

async function failedTopUp(): Promise<number> {
  const { body } = await scene.asPartner.post(AIRTIME, {
    amount: 50,
    msisdn: newOwner('002'),
    ...sale,
  });
  return body.data.transactionId;
}

const owned = async () => ({ voucherCode: (await scene.gift()).voucherCode });
const anonymous = async () => ({ voucherCode: (await scene.gift({ owner: null })).voucherCode });

/** A request as short as it can be, and the fields that it leaves out. */
const requests: readonly (readonly [
  string,
  Surface,
  string,
  () => object | Promise<object>,
  readonly string[],
])[] = [
  [
    'generate',
    'partner',
    GENERATE,
    generation,
    [...Object.keys(noSale), 'merchantIdentifier', 'isRestricted'],
  ],
  ['claim', 'partner', CLAIM, owned, ['amount']],
  ['claim', 'merchant', CLAIM, owned, ['amount', 'metadata']],
  ['redeem', 'partner', REDEEM, anonymous, ['verificationCode', 'msisdn', 'merchantId', 'amount']],
  ['redeem', 'merchant', REDEEM, anonymous, ['verificationCode', 'msisdn', 'amount', 'metadata']],
  [
    'airtime',
    'partner',
    AIRTIME,
    () => ({ amount: 50, msisdn: newOwner(), ...sale }),
    ['foreignCurrencyAmount'],
  ],
  [
    'package',
    'partner',
    PACKAGE,
    () => ({ productId: products.ethioPackage, msisdn: newOwner(), ...sale }),
    ['foreignCurrencyAmount'],
  ],
];

test.each(requests)(
  '%s on the %s API: null is the same as nothing',
  async (_what, surface, path, make, optional) => {
    const [body, key] = [await make(), randomUUID()];
    const nulls = Object.fromEntries(optional.map((field) => [field, null]));
    const first = done(await post(surface, path, { ...body, ...nulls }, key));
    const again = await post(surface, path, body, key);
    expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
  },
);

test('a retry to no other number', async () => {
  const [transactionId, key] = [await failedTopUp(), randomUUID()];
  const first = await post('partner', RETRY, { transactionId, msisdn: null }, key);
  expect(first.status).toBe(424);
  const again = await post('partner', RETRY, { transactionId }, key);
  expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
});

/** The content whose digest rows have from before null meant absent, and the same with a null. */
describe('a row of version 1', () => {
  const known = (text: string) => scene.stack.digests.request(text);

  /** Makes what a request left look as version 1 left it. */
  async function rewrite(answer: Answer, text: string): Promise<void> {
    expect(answer.status).toBeLessThan(500);
    const { database } = scene.stack;
    const newest = await database
      .selectFrom('operations')
      .select('id')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    await database
      .updateTable('operations')
      .set({ request_digest: known(text) })
      .where('id', '=', newest.id)
      .execute();
  }

  const canonical = (voucherCode: string) => voucherCode.replaceAll('-', '');

  test('of a generation', async () => {
    const [body, key] = [generation(), randomUUID()];
    const first = done(await post('partner', GENERATE, body, key));
    const { denominationId, merchantId, msisdn } = body;
    await rewrite(
      first,
      `generate-voucher {"denominationId":${denominationId},"merchantId":${merchantId},` +
        `"msisdn":"${msisdn}","isRestricted":true}`,
    );
    const again = await post('partner', GENERATE, body, key);
    expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
    const other = await post('partner', GENERATE, { ...body, msisdn: null }, key);
    expectRefusal(other, 'partner', 422, { reason: 'key-reused' });
  });

  test('of a redemption with a null, which was another request than one without', async () => {
    const [{ voucherCode }, key] = [await anonymous(), randomUUID()];
    const body = { voucherCode, metadata: null };
    const first = done(await post('merchant', REDEEM, body, key));
    await rewrite(
      first,
      `redeem-gift {"voucherCode":{"canonical":"${canonical(voucherCode)}"},` +
        `"idempotencyKey":"${key}","metadata":null,"amount":null}`,
    );
    const again = await post('merchant', REDEEM, body, key);
    expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
    const other = await post('merchant', REDEEM, { voucherCode }, key);
    expectRefusal(other, 'merchant', 422, { reason: 'key-reused' });
  });

  test('of a claim with an amount', async () => {
    const [{ voucherCode }, key] = [await owned(), randomUUID()];
    const first = done(await post('partner', CLAIM, { voucherCode, amount: 40 }, key));
    await rewrite(
      first,
      `initiate-claim {"voucherCode":{"canonical":"${canonical(voucherCode)}"},"amount":"40.000000"}`,
    );
    const again = await post('partner', CLAIM, { voucherCode, amount: '40.00' }, key);
    expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
  });

  test('of a top-up, whose answer its effect keeps', async () => {
    const [msisdn, key] = [newOwner(), randomUUID()];
    const body = { amount: 50, msisdn, ...sale };
    const first = done(await post('partner', AIRTIME, body, key));
    const text =
      `airtime-topup {"kind":"AIRTIME","productId":null,"amount":"50.000000","msisdn":"${msisdn}",` +
      '"exchangeRate":"57.2","currency":"USD","originatingCountry":"US","foreignCurrencyAmount":null}';
    await rewrite(first, text);
    expect(wasReplayed(await post('partner', AIRTIME, body, key))).toBe(true);
    const { database } = scene.stack;
    const { transactionId: id } = first.body.data;
    const { operation_id } = await database
      .updateTable('topups')
      .set({ request_digest: known(text) })
      .where('id', '=', id)
      .returning('operation_id')
      .executeTakeFirstOrThrow();
    await database.deleteFrom('operations').where('id', '=', operation_id).execute();
    const again = await post('partner', AIRTIME, body, key);
    expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
    const other = await post('partner', AIRTIME, { ...body, amount: 20 }, key);
    expectRefusal(other, 'partner', 422, { reason: 'key-reused' });
  });
});
