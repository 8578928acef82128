import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wasReplayed } from '../../support/clients.ts';
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

/** Where a field is optional, null means absent, on both APIs. */
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

async function failedTopup(): Promise<number> {
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
  const [transactionId, key] = [await failedTopup(), randomUUID()];
  const first = await post('partner', RETRY, { transactionId, msisdn: null }, key);
  expect(first.status).toBe(424);
  const again = await post('partner', RETRY, { transactionId }, key);
  expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
});
