import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { paymentOf } from '../../../activities/redemptions/payments.ts';
import { replacePayoutAccounts } from '../../../src/db/catalogue/payout-accounts.ts';
import { addRoute } from '../../../src/db/providers.ts';
import { redemptionPayment } from '../../../src/db/vouchers/redemptions.ts';
import type { ProviderName } from '../../../src/domain/providers.ts';
import type { Payment } from '../../../src/providers/mobile-money/mobile-money.ts';
import { gsmaOfSettings } from '../../../src/providers/of-settings.ts';
import type { ProviderFault } from '../../../src/sandbox/faults.ts';
import { commandsOn, payoutFacts } from '../../admin/scene.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { settleCase } from '../../positions/cases.ts';
import { call } from '../../support/clients.ts';
import { makeSpoilingWay } from '../../support/spoiling-way.ts';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { reconciled } from '../faults/reconciled.ts';
import { CLAIM, done, type Gift, newOwner, settled } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** Two providers of SMS and two of payments, all of the sandbox; the second is asked next. */
let scene: RedemptionScene;
let toService: Awaited<ReturnType<typeof makeSpoilingWay>>;

beforeAll(async () => {
  toService = await makeSpoilingWay();
  scene = await setRedemptionScene({
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '1',
    PROVIDER_TIMEOUT_SECONDS: '3',
    CALLBACK_URL: `${toService.url}/callbacks`,
  });
  toService.setTarget(scene.stack.url);
  const none = { operator: null, partner_id: null, merchant_id: null };
  const always = { ...none, amount_from: null, amount_to: null };
  for (const [kind, provider, position] of [
    ['sms', 'africas-talking', 1],
    ['sms', 'smpp', 2],
    ['payout', 'gsma', 1],
    ['payout', 'mpesa', 2],
  ] as const)
    await scene.stack.database
      .transaction()
      .execute((transaction) => addRoute(transaction, { kind, provider, position, ...always }));
});
afterAll(async () => {
  await scene?.stop();
  await toService?.close();
});

const setFault = async (provider: ProviderName, body: Partial<ProviderFault>) => {
  const url = `${scene.stack.sandbox.url}/faults/${provider}`;
  expect((await call(url, { method: 'PUT', body })).status).toBe(200);
};

beforeEach(async () => {
  for (const provider of ['africas-talking', 'smpp', 'gsma', 'mpesa'] as const)
    await setFault(provider, {});
});

const received = ({ owner }: Gift) =>
  scene.stack.sandbox.books.messages(owner ?? '').map(({ provider }) => provider);

const codeOf = ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('messages')
    .select(['id', 'status', 'provider'])
    .where('voucher_id', '=', id)
    .where('kind', '=', 'VERIFICATION_CODE')
    .executeTakeFirstOrThrow();

const failoversOf = async (gift: Gift) =>
  scene.stack.database
    .selectFrom('message_failovers')
    .select(['from_provider as from', 'to_provider as to'])
    .where('message_id', '=', (await codeOf(gift)).id)
    .execute();

const claim = async (gift: Gift) =>
  (await settled(scene.asMerchant, CLAIM, { voucherCode: gift.voucherCode })).body;

const inTheStory = async (gift: Gift): Promise<string> => {
  const { client } = await staffClient(scene.stack);
  return (await client.get(`/support/vouchers/${gift.id}`)).html;
};

const shown = async (gift: Gift): Promise<string> => {
  const { admin } = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
  return (await admin(`voucher show ${gift.id}`)).out;
};

/** What the tab *User Metadata* of the workflow of its claim shows. */
const inTemporalUi = async ({ id }: Gift): Promise<string> => {
  const { workflow_id } = await scene.stack.database
    .selectFrom('voucher_claims')
    .select('workflow_id')
    .where('voucher_id', '=', id)
    .executeTakeFirstOrThrow();
  return detailsOf(scene.stack.temporal.client.workflow.getHandle(workflow_id ?? ''));
};

describe('a code', () => {
  it('that the first provider certainly did not send is sent once, by the second one', async () => {
    await setFault('africas-talking', { answers: 'not-authorised' });
    const gift = await scene.gift({ owner: newOwner() });
    expect(await claim(gift)).toMatchObject({ success: true });
    expect(received(gift)).toEqual(['smpp']);
    expect(await codeOf(gift)).toMatchObject({ status: 'SENT', provider: 'smpp' });
    expect(await failoversOf(gift)).toEqual([{ from: 'africas-talking', to: 'smpp' }]);
    expect(await inTheStory(gift)).toMatch(
      /The code was not taken by Africa’s Talking: [^\n]+ SMPP was asked next/,
    );
    expect(await shown(gift)).toMatch(/not taken by Africa’s Talking: .+ SMPP was asked next\./);
    const details = await inTemporalUi(gift);
    expect(details).toContain('The code was sent to the owner by smpp.');
    expect(details).toMatch(/africas-talking did nothing: .+\. smpp was asked next\./);
  });

  it('that the first provider refuses for a reason of our account goes to the second one', async () => {
    // Neither takes the sender: InvalidSenderId, and RINVSRCADR.
    const gift = await scene.gift({ owner: newOwner('019') });
    const { message } = await claim(gift);
    expect(message).toContain('RINVSRCADR');
    expect(await failoversOf(gift)).toEqual([{ from: 'africas-talking', to: 'smpp' }]);
    // It does not count as refused against the number.
    expect(await codeOf(gift)).toMatchObject({ status: 'CANCELLED', provider: 'smpp' });
    expect(await inTheStory(gift)).toMatch(
      /The code could not be sent: “<span lang="en">[^<]*RINVSRCADR/,
    );
  });

  it('whose outcome is unknown is sent by nobody else', async () => {
    await setFault('africas-talking', { dropsAnswers: true });
    const gift = await scene.gift({ owner: newOwner() });
    await claim(gift);
    await until(async () => expect((await codeOf(gift)).status).toBe('UNKNOWN'));
    expect(received(gift)).not.toContain('smpp');
    expect(await failoversOf(gift)).toEqual([]);
  });

  it('that both did not send takes the claim back', async () => {
    await setFault('africas-talking', { answers: 'not-authorised' });
    await setFault('smpp', { answers: 'not-authorised' });
    const gift = await scene.gift({ owner: newOwner() });
    expect(await claim(gift)).toMatchObject({ success: false });
    expect(received(gift)).toEqual([]);
    await until(async () =>
      expect(await inTemporalUi(gift)).toMatch(
        /^\*\*Cancelled\*\*: .*smpp did not take the code\..*africas-talking did nothing: /s,
      ),
    );
  });
});

/** A payment that the first provider made after all, perhaps otherwise than ordered, and calls back about. */
async function madeByBoth(made: Partial<Pick<Payment, 'amount' | 'payee'>> = {}) {
  await setFault('gsma', { answers: 'not-authorised' });
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant, denomination: 1000 });
  const code = await scene.claimed(client, gift);
  done(await redeem(client, gift, { verificationCode: code }));
  const { operation_id } = await scene.stack.database
    .selectFrom('redemptions')
    .select('operation_id')
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  await setFault('gsma', {});
  // It answered 401, and let the request through later all the same.
  const payment = paymentOf(await redemptionPayment(scene.stack.database, operation_id));
  const { reference } = payment;
  const gsma = gsmaOfSettings(scene.stack.config);
  const taken = await gsma?.pay({ ...payment, ...made });
  expect(taken).toMatchObject({ kind: 'delivered' });
  expect(scene.stack.sandbox.books.payouts({ reference })).toHaveLength(2);
  const calledBack = await fetch(`${scene.stack.url}/callbacks/gsma`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'X-CorrelationID': reference },
    body: '{}',
  });
  expect(calledBack.status).toBe(204);
  return { gift, reference, said: await reconciled(scene.stack) };
}

describe('a payment', () => {
  it('that went to the second provider is told with both, for staff alone', async () => {
    await setFault('gsma', { answers: 'not-authorised' });
    // M-Pesa carries whole birr: 2.5 percent of 1,000 leave some.
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, denomination: 1000 });
    const code = await scene.claimed(client, gift);
    done(await redeem(client, gift, { verificationCode: code }));
    const { payment_reference: reference } = await scene.stack.database
      .selectFrom('redemptions')
      .select('payment_reference')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(scene.stack.sandbox.books.payouts({ reference })).toMatchObject([
      { provider: 'mpesa', status: 'completed' },
    ]);
    expect(await inTheStory(gift)).toMatch(
      /The payment of RDM-\S+ was not taken by GSMA mobile money: [^\n]+ M-Pesa was asked next/,
    );
    expect(await shown(gift)).toMatch(/not taken by GSMA mobile money: .+ M-Pesa was asked next\./);
    await until(async () => {
      const details = await inTemporalUi(gift);
      expect(details).toMatch(/\*\*Paid\*\*: .+, payment reference \S+ at mpesa;/);
      expect(details).toMatch(/paid to msisdn \S+ by mpesa\./);
      expect(details).toMatch(/gsma did nothing: .+\. mpesa was asked next\./);
    });
  });

  it('that the first provider made after all is asked of it when it calls back', async () => {
    const { gift, reference, said } = await madeByBoth();
    expect(said).toContain('Two providers did one order, ETB 975.00, at gsma');
    const commands = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    expect(await commands.json('cases list')).toMatchObject([{ reference, provider: 'gsma' }]);
    expect(await inTheStory(gift)).toMatch(
      /GSMA mobile money says that it did ETB\s975\.00, reference/,
    );
    // The second amount stands in suspense.
    expect(await scene.transfersOf(gift)).toEqual([
      'hold 1000.00',
      'post-payment 975.00',
      'post-service-fee 25.00',
      'adjust-1 975.00',
    ]);
    await settleCase(scene.stack, reference, 'platform');
  });

  it('that the first provider made of another amount is a double delivery of that amount', async () => {
    const { gift, reference, said } = await madeByBoth({ amount: '900.00' });
    expect(said).toContain('Two providers did one order, ETB 900.00, at gsma');
    expect(await inTheStory(gift)).toContain('GSMA mobile money says that it did');
    expect((await scene.transfersOf(gift)).at(-1)).toBe('adjust-1 900.00');
    await settleCase(scene.stack, reference, 'platform');
  });

  it('that the first provider made to another payee is a case until a person clears it', async () => {
    const { gift, reference, said } = await madeByBoth({
      payee: [{ key: 'msisdn', value: '+251911000000' }],
    });
    expect(said).toContain('The provider has other content under our reference, at gsma');
    expect(await inTheStory(gift)).toMatch(/under our reference: [^\n]+ another payee/);
    await settleCase(scene.stack, reference);
  });

  it('to a registered holder goes only where the holder is confirmed', async () => {
    // GSMA answers no question about this account, and M-Pesa none at all.
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '030' });
    const commands = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    const account = { key: 'msisdn', value: merchant.payoutNumber, holder: 'Abebe Kebede' };
    await scene.stack.database
      .transaction()
      .execute((transaction) =>
        replacePayoutAccounts(transaction, [{ merchantId: merchant.id, ...account }]),
      );
    const gift = await scene.gift({ merchant, denomination: 1000, owner: null });
    expect((await redeem(client, gift)).body.statusCode).toBe(5031);
    expect(await scene.transfersOf(gift)).toEqual(['hold 1000.00', 'void 1000.00']);
    expect(scene.payoutsTo(merchant)).toEqual([]);

    const facts = await payoutFacts(commands, merchant.id);
    const confirm = `merchant payout-account confirm --merchant ${merchant.id} --provider mpesa ${facts}`;
    expect((await commands.admin(confirm)).out).toContain('may be paid by mpesa');
    done(await redeem(client, gift));
    expect(scene.stack.sandbox.books.payouts({ to: merchant.payoutNumber })).toMatchObject([
      { provider: 'mpesa', status: 'completed' },
    ]);
  });
});
