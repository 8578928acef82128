import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { signatureHeader } from '../../../clients/typescript/src/index.ts';
import { findReferencedPayment } from '../../../src/db/reconciliation.ts';
import { expireDueVouchers } from '../../../src/db/vouchers/expiry.ts';
import { reverseRedemptionId } from '../../../workflows/workflow-ids.ts';
import { settleAlone } from '../../positions/cases.ts';
import { askNow, observe } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { type Answer, call, merchantClient, type RawMerchant } from '../../support/clients.ts';
import { makeMerchant, type TestMerchant } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { reconciled } from '../faults/reconciled.ts';
import { done, type Gift, type GiftOptions, repeated } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { expectRefused, sendSigned } from '../signature/signing-scene.ts';

/** The last two digits of the number that was paid decide how the sandbox reverses its payout. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '1' });
});
afterAll(() => scene?.stop());

interface Paid {
  readonly gift: Gift;
  readonly merchant: TestMerchant;
  readonly client: RawMerchant;
  /** Id of the redemption, as its merchant finds it. */
  readonly id: number;
}

/** A redemption that was paid: of ETB 200 and a fee of 5, of another amount, or of the whole voucher. */
async function paid(
  suffix = '000',
  {
    whole = false,
    amount = 200,
    ...options
  }: GiftOptions & { readonly whole?: boolean; readonly amount?: number } = {},
): Promise<Paid> {
  const merchant = options.merchant ?? (await makeMerchant(scene.stack, { payoutSuffix: suffix }));
  const client = await merchantClient(scene.stack, merchant);
  const gift = await scene.gift({ denomination: 500, merchant, ...options });
  await scene.redeemed(client, gift, whole ? {} : { amount });
  const { body } = done(await client.get('/redemptions'));
  return { gift, merchant, client, id: body.data[0].id };
}

const reverse = (
  { client, id }: Pick<Paid, 'client' | 'id'>,
  idempotencyKey: string = randomUUID(),
  extra: object = {},
): Promise<Answer> => client.post(`/redemptions/${id}/reverse`, { idempotencyKey, ...extra });

/** Repeats the request under its key until it has its result. */
const reversed = (
  one: Pick<Paid, 'client' | 'id'>,
  key: string = randomUUID(),
  extra: object = {},
): Promise<Answer> =>
  repeated(
    () => reverse(one, key, extra),
    ({ body }) => body.statusCode === 4092,
  );

const listed = async ({ client, id }: Paid) =>
  done(await client.get('/redemptions')).body.data.find((one: { id: number }) => one.id === id);

const reversalsOf = ({ merchant }: Paid) =>
  scene.stack.sandbox.books.reversals({ to: merchant.payoutNumber });

async function workflowOf({ id }: Paid) {
  const { operation_id: operationId } = await scene.stack.database
    .selectFrom('redemption_reversals')
    .select('operation_id')
    .where('redemption_id', '=', id)
    .executeTakeFirstOrThrow();
  return scene.stack.temporal.client.workflow.getHandle(reverseRedemptionId(id, operationId));
}

const takenReversal = (one: Paid) =>
  until(() => {
    const [found] = reversalsOf(one);
    if (!found) throw new Error('The provider has taken no reversal');
    return found;
  });

const settleReversal = async (one: Paid, status: 'completed' | 'failed') => {
  const { reference } = await takenReversal(one);
  done(await call(`${scene.stack.sandbox.url}/books/reversals/${reference}`, { body: { status } }));
};

const suspense = async () => {
  const { rows } = await sql`
    select from ledger_transfers join ledger_accounts as account
      on account.kind = 'suspense' and account.id in (debit_account_id, credit_account_id)
  `.execute(scene.stack.database);
  return rows.length;
};

const messagesTo = ({ owner }: Gift): string[] =>
  scene.stack.sandbox.books.messages(owner ?? '').map(({ text }) => text);

it('signed bytes that were refused for one redemption reverse no other one', async () => {
  const one = await paid();
  const other = await paid('000', { merchant: one.merchant });
  done(await reversed(one));
  const body = JSON.stringify({ idempotencyKey: randomUUID() });
  const signature = signatureHeader(one.merchant.privateKey, body);
  const sent = ({ id }: Paid) =>
    sendSigned(one.client, `/redemptions/${id}/reverse`, body, signature);
  expectRefused(await sent(one), 4098, 'redemption-reversed');
  // Whoever has the token alone cannot sign, and the path is not signed.
  expectRefused(await sent(other), 422, 'signed-request-reused');
  expect(await listed(other)).toMatchObject({ state: 'POSTED', reversal: null });
  expectRefused(await sent(one), 4098, 'redemption-reversed');
});

describe('a reversal', () => {
  it('returns payment and fee to the voucher once, and everybody is told', async () => {
    const before = await scene.balances();
    const one = await paid('000', { whole: true });
    expect((await scene.voucher(one.gift)).status).toBe('REDEEMED');
    const key = randomUUID();
    const first = done(await reversed(one, key, { reason: 'Wrong till' }));
    expect(first.body.data).toMatchObject({
      id: one.id,
      status: 'SUCCESS',
      amount: '500.000000',
      creditedTo: 'VOUCHER',
    });
    const again = done(await reversed(one, key, { reason: 'Wrong till' }));
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
    expect((await reversed(one)).body).toMatchObject({
      statusCode: 4098,
      message: 'The redemption is already reversed',
    });
    expect(await scene.voucher(one.gift)).toMatchObject({
      status: 'ACTIVE',
      remaining: '500.000000',
    });
    expect(await scene.balances()).toEqual({
      ...before,
      eMoneyWalletBalance: before.eMoneyWalletBalance - 500,
      reservedBalance: before.reservedBalance + 500,
    });
    expect(reversalsOf(one)).toMatchObject([{ amount: '487.50', status: 'completed' }]);
    expect(scene.amountsPaidTo(one.merchant)).toEqual(['487.50 reversed']);
    expect(await listed(one)).toMatchObject({
      state: 'REVERSED',
      reversal: { status: 'SUCCESS', reason: 'Wrong till', creditedTo: 'VOUCHER' },
    });
    expect(done(await one.client.get('/payouts')).body.data).toEqual([]);
    await until(() =>
      expect(messagesTo(one.gift)[0]).toMatch(
        /^ETB 500\.00 is back on your gift voucher: .* Remaining: ETB 500\.00\./,
      ),
    );
    const shown = done(await scene.asPartner.get(`/vouchers/${one.gift.id}`)).body.data;
    expect(shown.redemptions).toMatchObject([{ reversal: { status: 'SUCCESS' } }]);
    expect(shown.messages.at(-1)).toMatchObject({ kind: 'REVERSAL_NOTICE', status: 'SENT' });
    for (const client of [scene.asPartner, one.client])
      await until(async () => {
        const { events } = done(await client.get('/events?limit=100')).body.data;
        expect(events).toContainEqual(
          expect.objectContaining({
            type: 'redemption.reversed',
            subject: `voucher:${one.gift.id}`,
            data: expect.objectContaining({
              redemptionId: one.id,
              amount: '500.000000',
              remaining: '500.000000',
              creditedTo: 'voucher',
            }),
          }),
        );
      });
    // The value can be redeemed again.
    await scene.redeemed(one.client, one.gift, { amount: 100 });
    expect(scene.amountsPaidTo(one.merchant)).toEqual(['100.00 completed', '487.50 reversed']);
  });

  it.concurrent.each([
    ['021', 'drops its answer'],
    ['022', 'confirms later'],
  ])('is credited once where the provider (%s) %s', async (suffix) => {
    const one = await paid(suffix);
    expect(done(await reversed(one)).body.data.amount).toBe('205.000000');
    expect((await scene.voucher(one.gift)).remaining).toBe('500.000000');
    expect(reversalsOf(one)).toHaveLength(1);
  });

  it('leaves its notice to the next expiry run where the SMS provider does not take it', async () => {
    const one = await paid();
    const { faults } = scene.stack.sandbox;
    const usual = faults.of('africas-talking');
    faults.set('africas-talking', { ...usual, answers: 'not-authorised' });
    done(await reversed(one));
    await (await workflowOf(one)).result();
    faults.set('africas-talking', usual);
    const shown = done(await scene.asPartner.get(`/vouchers/${one.gift.id}`)).body.data;
    expect(shown.messages.at(-1)).toMatchObject({ kind: 'REVERSAL_NOTICE', status: 'QUEUED' });
  });

  it.each(['020', '024'])('that the provider (%s) refuses changes nothing', async (suffix) => {
    const one = await paid(suffix);
    const holdings = await scene.holdings();
    const key = randomUUID();
    const refused = await reversed(one, key);
    expect([refused.status, refused.body.statusCode]).toEqual([424, 4241]);
    expect((await reversed(one, key)).body).toEqual(refused.body);
    expect(await scene.holdings()).toEqual(holdings);
    expect(await listed(one)).toMatchObject({ state: 'POSTED', reversal: { status: 'FAILED' } });
    // It may be tried again; the reconciliation asks whether the provider took it back by itself.
    expect((await reversed(one)).status).toBe(424);
    expect(await reconciled(scene.stack)).toBe('in order');
  });
});

describe('while the provider has not confirmed it', () => {
  it('nothing is credited, a second one is refused, and its own effect is no surprise', async () => {
    const one = await paid('023');
    const holdings = await scene.holdings();
    const key = randomUUID();
    expect((await reverse(one, key)).body.statusCode).toBe(4092);
    await takenReversal(one);
    await until(async () =>
      expect((await reverse(one)).body.message).toMatch(
        /^A reversal of this redemption is in progr/,
      ),
    );
    expect(await listed(one)).toMatchObject({ state: 'POSTED', reversal: { status: 'PENDING' } });
    expect({ ...(await scene.holdings()), payouts: holdings.payouts }).toEqual(holdings);

    // The provider's books show the payment as reversed before we have asked about the reversal.
    const inSuspense = await suspense();
    const reference = scene.payoutsTo(one.merchant)[0]?.reference ?? '';
    const books = `${scene.stack.sandbox.url}/books/payouts/${reference}`;
    done(await call(books, { body: { status: 'reversed' } }));
    await askNow(scene.stack.database, reference);
    expect(await reconciled(scene.stack)).toBe('in order');
    expect(await suspense()).toBe(inSuspense);

    await settleReversal(one, 'completed');
    done(await reversed(one, key));
    expect((await scene.voucher(one.gift)).remaining).toBe('500.000000');
    expect(await reconciled(scene.stack)).toBe('in order');
    expect(await suspense()).toBe(inSuspense);
  });

  it('a reversal whose workflow was lost is taken up again, and not sent twice', async () => {
    const one = await paid('023');
    const key = randomUUID();
    expect((await reverse(one, key)).body.statusCode).toBe(4092);
    await takenReversal(one);
    const workflow = await workflowOf(one);
    await workflow.terminate();
    await settleReversal(one, 'completed');
    expect(await reconciled(scene.stack)).toBe('in order');
    expect(await workflow.result()).toEqual({ ended: 'reversed' });
    expect(done(await reversed(one, key)).body.data.amount).toBe('205.000000');
    expect(reversalsOf(one)).toHaveLength(1);
  });
});

describe('of a payment whose second provider did nothing', () => {
  async function paidByTheFirst(suffix: string) {
    const one = await paid(suffix);
    await sql`
      insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, position, said, said_at)
      select kind, reference, 'mpesa', operation_id, voucher_id, ordered, 2, 'nothing', now()
      from placements where operation_id = (
        select operation_id from redemptions where id = ${one.id})`.execute(scene.stack.database);
    return one;
  }
  const rowsOf = async ({ id }: Paid) => {
    const { rows } = await sql<{ provider: string; kind: string; isDue: boolean }>`
      select provider, kind, coalesce(ask_at <= clock_timestamp(), false) as "isDue" from placements
      where operation_id = (select operation_id from redemptions where id = ${id})
      order by position, id`.execute(scene.stack.database);
    return rows;
  };

  it('a callback about its reversal is that of the first one', async () => {
    const one = await paidByTheFirst('023');
    const key = randomUUID();
    expect((await reverse(one, key)).body.statusCode).toBe(4092);
    const { reference } = await takenReversal(one);
    expect(await findReferencedPayment(scene.stack.database, reference)).toMatchObject({
      kind: 'reversal',
      provider: 'gsma',
      isOpen: true,
    });
    await settleReversal(one, 'completed');
    done(await reversed(one, key));
  });

  it('the first one, which refused the reversal, is asked whether it took it back', async () => {
    const one = await paidByTheFirst('020');
    expect((await reversed(one)).status).toBe(424);
    expect((await rowsOf(one)).filter(({ isDue }) => isDue)).toMatchObject([
      { provider: 'gsma', kind: 'payment' },
    ]);
  });

  it('the first one ends its reversal, even where the second one paid late', async () => {
    const one = await paidByTheFirst('023');
    const { database } = scene.stack;
    const key = randomUUID();
    expect((await reverse(one, key)).body.statusCode).toBe(4092);
    await takenReversal(one);
    const { operation_id: operationId, payment_reference: reference } = await paymentOf(one);
    await database
      .transaction()
      .execute((transaction) =>
        observe(transaction, operationId, { provider: 'mpesa', said: 'done' }),
      );
    await settleReversal(one, 'completed');
    done(await reversed(one, key));
    expect((await scene.voucher(one.gift)).remaining).toBe('500.000000');
    await settleAlone(database, reference, 'platform');
    expect(await findBrokenInvariants(database)).toEqual([]);
  });
});

const paymentOf = ({ id }: Paid) =>
  scene.stack.database
    .selectFrom('redemptions')
    .select(['operation_id', 'payment_reference'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

it('a payment that did more than was ordered is reversed once', async () => {
  const one = await paid();
  const { database } = scene.stack;
  const { operation_id: operationId, payment_reference: reference } = await paymentOf(one);
  await database
    .transaction()
    .execute((transaction) =>
      observe(transaction, operationId, { said: 'done', amount: 210_000_000n }),
    );
  await settleAlone(database, reference, 'platform');
  done(await reversed(one));
  expectRefused(await reversed(one), 4098, 'redemption-reversed');
});

describe('the voucher', () => {
  it.concurrent('that is redeemed again meanwhile grows under its lock', async () => {
    const one = await paid('000', { isRestricted: false, owner: null });
    const slow = await scene.payee('merchant', { payoutSuffix: '014' });
    const second = redeem(slow.client, one.gift, { amount: 100 });
    await scene.untilPaidTo(slow.merchant);
    done(await reversed(one));
    expect(await scene.voucher(one.gift)).toMatchObject({
      status: 'REDEEM_PROCESSING',
      remaining: '397.500000',
      held: '102.500000',
    });
    await second;
    await scene.settlePayout(slow.merchant, 'completed');
    await scene.untilStatus(one.gift, 'ACTIVE');
    expect((await scene.voucher(one.gift)).remaining).toBe('397.500000');
  });

  it.each(['expired', 'cancelled'] as const)('that has %s: its partner gets it', async (end) => {
    const one = await paid();
    if (end === 'cancelled') await scene.cancel(one.gift);
    else {
      await scene.expire(one.gift);
      await scene.stack.database
        .transaction()
        .execute((transaction) => expireDueVouchers(transaction, 100));
    }
    const before = await scene.balances();
    expect(done(await reversed(one)).body.data.creditedTo).toBe('PARTNER');
    expect(await scene.balances()).toEqual({
      ...before,
      eMoneyWalletBalance: before.eMoneyWalletBalance + 205,
    });
    expect(await scene.voucher(one.gift)).toMatchObject({
      status: end.toUpperCase(),
      remaining: '0.000000',
      returned: '500.000000',
    });
    expect(messagesTo(one.gift)[0]).not.toMatch(/is back on your gift voucher/);
  });

  it('whose owner was erased: its partner gets it, and no message goes to nobody', async () => {
    const one = await paid('000', { whole: true });
    for (const table of ['vouchers', 'messages'] as const)
      await sql`
        update ${sql.table(table)} set ${sql.ref(table === 'vouchers' ? 'owner_msisdn' : 'msisdn')} = 'erased'
        where ${sql.ref(table === 'vouchers' ? 'id' : 'voucher_id')} = ${one.gift.id}`.execute(
        scene.stack.database,
      );
    const resent = await scene.asPartner.post(`/vouchers/${one.gift.id}/resend`, {});
    expect(resent.status).toBe(404);
    const before = await scene.balances();
    expect(done(await reversed(one)).body.data.creditedTo).toBe('PARTNER');
    expect((await scene.balances()).eMoneyWalletBalance).toBe(before.eMoneyWalletBalance + 500);
    expect(await scene.voucher(one.gift)).toMatchObject({
      status: 'REDEEMED',
      remaining: '0.000000',
      returned: '500.000000',
    });
    const shown = done(await scene.asPartner.get(`/vouchers/${one.gift.id}`)).body.data;
    expect(shown.messages.map(({ kind }: { kind: string }) => kind)).not.toContain(
      'REVERSAL_NOTICE',
    );
    expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
  });

  it('that was used up and is past its date expires with the value', async () => {
    const one = await paid('000', { whole: true });
    await scene.expire(one.gift);
    const before = await scene.balances();
    done(await reversed(one));
    await scene.stack.database
      .transaction()
      .execute((transaction) => expireDueVouchers(transaction, 100));
    expect((await scene.balances()).eMoneyWalletBalance).toBe(before.eMoneyWalletBalance + 500);
    expect(messagesTo(one.gift)[0]).not.toMatch(/is back on your gift voucher/);
  });
});

test('of ten reversals at once under keys of their own one succeeds', async () => {
  const one = await paid('022');
  const keys = Array.from({ length: 10 }, () => randomUUID());
  const answers = await Promise.all(keys.map((key) => reversed(one, key)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  expect(reversalsOf(one)).toHaveLength(1);
  expect((await scene.voucher(one.gift)).remaining).toBe('500.000000');
  expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
});

describe.concurrent('is refused, and sends nothing,', () => {
  it('for a redemption of another merchant, as for none', async () => {
    const one = await paid();
    const client = await merchantClient(scene.stack, await makeMerchant(scene.stack));
    const [strange, none] = await Promise.all([
      reversed({ client, id: one.id }),
      reversed({ client, id: 999_999_999 }),
    ]);
    expect(strange?.status).toBe(404);
    expect(strange?.body).toEqual(none?.body);
    expect(reversalsOf(one)).toEqual([]);
  });

  it('for one that is being paid, or was not', async () => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix: '014' });
    const client = await merchantClient(scene.stack, merchant);
    const gift = await scene.gift({ owner: null, merchant });
    const redemption = redeem(client, gift);
    await scene.untilPaidTo(merchant);
    const { id } = done(await client.get('/redemptions')).body.data[0];
    const key = randomUUID();
    expect((await reversed({ client, id }, key)).body.message).toMatch(
      /^Only a redemption that was/,
    );
    await redemption;
    await scene.settlePayout(merchant, 'failed');
    await scene.untilStatus(gift, 'ACTIVE');
    expect((await reversed({ client, id }, key)).body.statusCode).toBe(4099);
  });

  it('after its time, and for one that the provider took back by itself', async () => {
    const late = await paid();
    await scene.stack.database
      .updateTable('redemptions')
      .set({ settled_at: sql<Date>`settled_at - interval '2 days'` })
      .where('id', '=', late.id)
      .execute();
    expect((await reversed(late)).body).toMatchObject({ statusCode: 4038 });
    expect(await listed(late)).toMatchObject({ state: 'POSTED', reversal: null });

    const taken = await paid();
    const reference = scene.payoutsTo(taken.merchant)[0]?.reference ?? '';
    const books = `${scene.stack.sandbox.url}/books/payouts/${reference}`;
    done(await call(books, { body: { status: 'reversed' } }));
    await askNow(scene.stack.database, reference);
    expect(await reconciled(scene.stack)).toContain('A provider took it back');
    expect((await reversed(taken)).body.message).toBe('The redemption is already reversed');
    expect(reversalsOf(taken)).toEqual([]);
  });

  it('under a key that reversed another redemption', async () => {
    const [one, other] = [await paid(), await paid()];
    const key = randomUUID();
    done(await reversed(one, key));
    expect((await reversed({ client: one.client, id: other.id }, key)).body.statusCode).toBe(422);
    expect(reversalsOf(other)).toEqual([]);
  });
});
