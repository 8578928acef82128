import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRoute } from '../../../src/db/providers.ts';
import { freePort } from '../../../src/local/processes.ts';
import { gsmaPaths } from '../../../src/sandbox/gsma/router.ts';
import { deposit } from '../../support/companies.ts';
import { makeSpoilingWay, spoils } from '../../support/spoiling-way.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { done, newOwner } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { sale } from '../topups/topup-scene.ts';

/**
 * Providers that do what they are asked for and whose answer is then lost on its way (F20, F23): the
 * caller gets its result all the same, the same one when it repeats, and it is done exactly once.
 */
let scene: RedemptionScene;
let way: Awaited<ReturnType<typeof makeSpoilingWay>>;
beforeAll(async () => {
  way = await makeSpoilingWay();
  const port = await freePort();
  scene = await setRedemptionScene({
    PORT: String(port),
    CALLER_WAIT_SECONDS: '15',
    MPESA_URL: `${way.url}/mpesa`,
    PROVIDER_TIMEOUT_SECONDS: '1',
    CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`,
    RELOADLY_URL: `${way.url}/reloadly`,
    MOBILE_MONEY_URL: `${way.url}/gsma${gsmaPaths.api}`,
    AIRTIME_URL: `${way.url}/dt-one/v1`,
  });
  way.setTarget(scene.stack.sandbox.url);
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '10000', 'airtime');
  await scene.stack.database.transaction().execute((transaction) =>
    addRoute(transaction, {
      kind: 'topup-airtime',
      provider: 'reloadly',
      operator: 'SAFARICOM_ETHIOPIA',
      position: 1,
    }),
  );
});
afterAll(async () => {
  await scene?.stop();
  await way?.close();
});

/** The other ones are faults of the sandbox's page, and broken-providers.test.ts has them. */
const rows = Object.entries(spoils).filter(
  ([what]) =>
    ![
      ...['a page of HTML', 'a redirect', 'half of its JSON', 'JSON of other types', 'no body'],
      ...['a huge body', 'a slow drip'],
    ].includes(what),
);

/** A merchant that a provider pays. */
async function payeeOf(provider: 'gsma' | 'mpesa') {
  const payee = await scene.payee('merchant');
  if (provider === 'mpesa')
    await scene.stack.database.transaction().execute((transaction) =>
      addRoute(transaction, {
        kind: 'payout',
        provider,
        merchant_id: payee.merchant.id,
        position: 1,
      }),
    );
  return payee;
}

const rowsOf = <Provider extends string>(...providers: Provider[]) =>
  providers.flatMap((provider) => rows.map(([what, spoil]) => [provider, what, spoil] as const));

describe('an order at', () => {
  test.each(rowsOf('gsma', 'mpesa'))(
    '%s, answered by %s: the merchant is paid once',
    async (provider, _what, spoil) => {
      const { merchant, client } = await payeeOf(provider);
      const gift = await scene.gift({ merchant });
      const verificationCode = await scene.claimed(client, gift, { amount: 40 });
      const idempotencyKey = randomUUID();
      const send = () => redeem(client, gift, { verificationCode, idempotencyKey });
      way.spoilWith(spoil);
      const first = done(await send());
      way.spoilWith(undefined);
      expect((await send()).body).toEqual(first.body);
      expect(scene.amountsPaidTo(merchant)).toEqual(['40.00 completed']);
      const [posted] = await scene.postedRedemptions(gift);
      expect(first.body.data.referenceNumber).toBe(posted?.provider_reference);
      expect(scene.payoutsTo(merchant)).toMatchObject([{ provider }]);
    },
  );

  test.each(rowsOf('dt-one', 'reloadly'))(
    '%s, answered by %s: the airtime is delivered and charged once',
    async (provider, _what, spoil) => {
      const msisdn = newOwner().replace('+2519', provider === 'reloadly' ? '+2517' : '+2519');
      const headers = { 'Idempotency-Key': randomUUID() };
      const send = () =>
        scene.asPartner.post(
          '/topup-transactions/airtime-topup',
          { amount: 50, msisdn, ...sale },
          headers,
        );
      const before = (await scene.balances()).walletBalance;
      way.spoilWith(spoil);
      const first = done(await send());
      way.spoilWith(undefined);
      expect(first.body.data.status).toBe('SUCCESS');
      expect((await send()).body).toEqual(first.body);
      const delivered = scene.stack.sandbox.books
        .topups({ to: msisdn })
        .map((topup) => [topup.provider, Number(topup.amount), topup.status]);
      expect(delivered).toEqual([[provider, 50, 'completed']]);
      expect((await scene.balances()).walletBalance).toBe(before - 50);
    },
  );
});

test.each(['002', '006', '008', '009', '019'])(
  'a confirmation that cannot be delivered (%s) changes nothing of its redemption',
  async (suffix) => {
    const gift = await scene.gift({ owner: null });
    done(await redeem(scene.asMerchant, gift, { amount: 40, msisdn: newOwner(suffix) }));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '59.000000' });
  },
);
