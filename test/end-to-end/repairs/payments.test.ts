import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lostOperationId } from '../../../src/db/positions/orders.ts';
import { lockVoucher } from '../../../src/db/vouchers/vouchers.ts';
import { commandsOn } from '../../admin/scene.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { caseOf, shownFacts } from '../../positions/cases.ts';
import { observe } from '../../positions/placements.ts';
import { call } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { createLateDeliveries } from './late-deliveries.ts';
import { type RaceScene, setRaceScene } from './race-scene.ts';
import { consent } from './repair-desk.ts';

/** Repairs of payments, top-ups and wallets in each state; API and worker have the rights of their roles. */
let scene: RaceScene;

beforeAll(async () => {
  scene = await setRaceScene({
    CALLER_WAIT_SECONDS: '1',
    TOPUP_RETRY_WINDOW_SECONDS: '3600',
    REPAIR_CONFIRM_FROM: '5000',
  });
});
afterAll(() => scene?.stop());

/** Each payment has a reference of its own. */
const paid = () => ({ outcome: 'done', reference: `RECEIPT ${randomUUID()}` });
const notPaid = { outcome: 'not-done', reference: 'LETTER-2' };

async function paymentIn(state: 'paying' | 'redeemed' | 'refused' | 'reversed') {
  if (state !== 'refused') {
    const isReversed = state === 'reversed';
    const { gift, merchant } = await scene.voucherIn(isReversed ? 'redeemed' : state);
    const redemption = await scene.redemptionOf(gift);
    if (isReversed)
      scene.expectDone(await scene.repaired('reverse-redemption', redemption.id, consent));
    return { gift, merchant, redemption };
  }
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '006' });
  const gift = await scene.gift({ merchant });
  await scene.redeemed(client, gift).catch(() => undefined);
  await scene.untilStatus(gift, 'ACTIVE');
  return { gift, merchant, redemption: await scene.redemptionOf(gift) };
}

describe('settle-payment', () => {
  it.concurrent.each([
    ['as paid', paid(), 'POSTED', 'REDEEMED'],
    ['as not paid', notPaid, 'VOIDED', 'ACTIVE'],
  ] as const)(
    'settles a payment that is not known %s, once',
    async (_name, args, booked, after) => {
      const { gift, redemption } = await paymentIn('paying');
      scene.expectDone(await scene.repaired('settle-payment', redemption.id, args));
      expect(await scene.redemptionOf(gift)).toMatchObject({
        status: booked,
        provider_reference: booked === 'POSTED' ? args.reference : null,
      });
      await scene.untilStatus(gift, after);
      expect(await scene.transfersOf(gift)).toHaveLength(booked === 'POSTED' ? 3 : 2);
    },
  );

  it.concurrent('leaves the word to a provider that answers in the meantime', async () => {
    const { gift, merchant, redemption } = await paymentIn('paying');
    await scene.settlePayout(merchant, 'completed');
    const { state } = await scene
      .repaired('settle-payment', redemption.id, notPaid)
      .catch(() => ({ state: 'REFUSED' }));
    expect(state).toBe('REFUSED');
    expect(await scene.redemptionOf(gift)).toMatchObject({ status: 'POSTED' });
  });

  it.concurrent('works after its workflow was lost', async () => {
    const { gift, redemption } = await paymentIn('paying');
    const { current_claim_id } = await scene.voucher(gift);
    await (await scene.claimWorkflow(current_claim_id ?? '')).terminate('lost');
    scene.expectDone(await scene.repaired('settle-payment', redemption.id, paid()));
    expect(await scene.redemptionOf(gift)).toMatchObject({ status: 'POSTED' });
  });

  it('refuses one that is redeemed, refused or reversed', async () => {
    const payments = await Promise.all(
      (
        [
          ['redeemed', 'reverse the redemption'],
          ['refused', 'the value is back on the voucher'],
          ['reversed', 'taken back'],
        ] as const
      ).map(async ([state, words]) => ({ ...(await paymentIn(state)), words })),
    );
    const holdings = await scene.holdings();
    for (const { redemption, words } of payments) {
      const refusal = expect.stringContaining(words);
      const asked = await scene.ask('settle-payment', redemption.id, paid());
      expect(asked).toMatchObject({ kind: 'refused', refusal });
      const row = await scene.forced('settle-payment', redemption.id, paid());
      expect(row).toMatchObject({ state: 'REFUSED', result: refusal });
    }
    expect(await scene.holdings()).toEqual(holdings);
  });
});

describe('settle-case of what a restore lost, whose request was repeated', () => {
  const REPEATED = 'Its request was repeated: the case ends with that payment or top-up.';

  /** Its payment stays on hold, and the case of what was lost open, as long as `meanwhile` takes. */
  async function repeated(meanwhile: (caseId: number) => Promise<void>) {
    const { gift, redemption } = await paymentIn('paying');
    const { operation_id, payment_reference: reference } = redemption;
    const { database } = scene.stack;
    await database.transaction().execute(async (holding) => {
      await lockVoucher(holding, gift.id);
      await database.transaction().execute(async (transaction) => {
        const belongTo = (operationId: string | null) =>
          sql`update placements set operation_id = ${operationId}
            where reference = ${reference}`.execute(transaction);
        await belongTo(null);
        await observe(transaction, lostOperationId(reference), {
          said: 'done',
          source: 'recovery',
        });
        await belongTo(operation_id);
      });
      expect(await scene.redemptionOf(gift)).toMatchObject({ status: 'HELD' });
      const { id, subject, closed_at } = await caseOf(database, reference);
      expect([subject, closed_at]).toEqual([lostOperationId(reference), null]);
      await meanwhile(id);
    });
    await scene.untilStatus(gift, 'REDEEMED');
  }

  it('is refused at /support and on the command line', async () => {
    const { client } = await staffClient(scene.stack, 'OPERATOR');
    const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    await repeated(async (id) => {
      const action = '/support/repairs/ask/settle-case';
      const values = { by: 'platform', why: 'Ticket 4711' };
      const { status, html } = await client.submit(`/support/cases/${id}`, action, values);
      expect([status, html]).toEqual([409, expect.stringContaining(REPEATED)]);
      const choice = `--by platform ${await shownFacts(operator, id)}`;
      const { code, err } = await operator.admin(`cases settle ${id} ${choice} --why repeated`);
      expect([code, err]).toEqual([1, expect.stringContaining(REPEATED)]);
    });
  });

  const asked = (id: number) =>
    scene.written('settle-case', id, { by: 'platform' }, { isByTwo: true });

  async function expectRefused(id: number, result: string) {
    expect(await scene.confirm(id, await scene.staff('SUPERVISOR'))).toBe(true);
    expect(await scene.ended(id)).toMatchObject({ state: 'REFUSED', result });
  }

  it('ends as refused where it is confirmed while the payment is on hold', () =>
    repeated(async (id) => expectRefused((await asked(id)).id, REPEATED)));

  it('ends as refused where it is confirmed after the payment has ended', async () => {
    let row = 0;
    await repeated(async (id) => {
      row = (await asked(id)).id;
    });
    await expectRefused(row, 'The case is closed: nothing is left to settle.');
  });
});

it('settle-case is refused where the provider changed its words while it waited', async () => {
  const { redemption } = await paymentIn('redeemed');
  const { database } = scene.stack;
  const said = (said: 'undone' | 'done', amount?: bigint) =>
    database
      .transaction()
      .execute((transaction) =>
        observe(transaction, redemption.operation_id, { said, ...(amount && { amount }) }),
      );
  await said('undone');
  const { id } = await caseOf(database, redemption.payment_reference);
  const row = await scene.written('settle-case', id, { by: 'platform' }, { isByTwo: true });
  await said('done', 50_000_000n);
  expect(await caseOf(database, redemption.payment_reference)).toMatchObject({ id });
  expect(await scene.confirm(row.id, await scene.staff('SUPERVISOR'))).toBe(true);
  expect(await scene.ended(row.id)).toMatchObject({
    state: 'REFUSED',
    result: expect.stringContaining('It has changed'),
  });
});

describe.concurrent('reverse-redemption', () => {
  it('takes a payment back, once', async () => {
    const { gift, merchant, redemption } = await paymentIn('redeemed');
    scene.expectDone(await scene.repaired('reverse-redemption', redemption.id, consent));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '100.000000' });
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 reversed']);
    expect((await scene.ask('reverse-redemption', redemption.id, consent)).kind).toBe('refused');
    expect((await scene.forced('reverse-redemption', redemption.id, consent)).state).toBe(
      'REFUSED',
    );
  });

  it('needs a second person once the time of the merchant is over', async () => {
    const { merchant, redemption } = await paymentIn('redeemed');
    const { id } = redemption;
    await sql`update redemptions set settled_at = now() - interval '25 hours' where id = ${id}`.execute(
      scene.stack.database,
    );
    const { id: repair, state } = await scene.asked('reverse-redemption', id, consent);
    expect(state).toBe('ASKED');
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await scene.confirm(repair, await scene.staff('SUPERVISOR'))).toBe(true);
    scene.expectDone(await scene.ended(repair));
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 reversed']);
  });

  it('refuses while a reversal is pending: the provider is asked once', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '023' });
    const gift = await scene.gift({ merchant });
    await scene.redeemed(client, gift);
    const { id } = await scene.redemptionOf(gift);
    const key = { idempotencyKey: randomUUID() };
    const pending = await client.post(`/redemptions/${id}/reverse`, key);
    expect(pending.body.statusCode).toBe(4092);
    const refusal = expect.stringContaining('under way');
    expect(await scene.ask('reverse-redemption', id, consent)).toMatchObject({
      kind: 'refused',
      refusal,
    });
    const row = await scene.forced('reverse-redemption', id, consent);
    expect(row).toMatchObject({ state: 'REFUSED', result: refusal });

    // A statement has the reversal before the provider confirms it: nobody else may get the value as well.
    const { operation_id, payment_reference: reference } = await scene.redemptionOf(gift);
    await scene.stack.database.transaction().execute((transaction) =>
      observe(transaction, operation_id, {
        isOfReversal: true,
        said: 'done',
        source: 'statement',
      }),
    );
    const { id: caseId } = await caseOf(scene.stack.database, reference);
    expect(await scene.ask('settle-case', caseId, { by: 'partner' })).toMatchObject({
      kind: 'refused',
      refusal,
    });
    expect(await scene.forced('settle-case', caseId, { by: 'partner' })).toMatchObject({
      state: 'REFUSED',
      result: refusal,
    });
    const [reversal, ...others] = scene.stack.sandbox.books.reversals({
      to: merchant.payoutNumber,
    });
    expect(others).toEqual([]);
    const books = `${scene.stack.sandbox.url}/books/reversals/${reversal?.reference}`;
    await call(books, { body: { status: 'completed' } });
    await until(async () => expect((await scene.voucher(gift)).remaining).toBe('100.000000'));
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 reversed']);
  });

  it.each(['paying', 'refused'] as const)('refuses one that is %s', async (state) => {
    const { redemption } = await paymentIn(state);
    expect((await scene.ask('reverse-redemption', redemption.id, consent)).kind).toBe('refused');
    expect((await scene.forced('reverse-redemption', redemption.id, consent)).state).toBe(
      'REFUSED',
    );
  });
});

describe.concurrent('retry-top-up', () => {
  it('makes one more attempt to another number, and charges once', async () => {
    const id = await scene.topupIn('FAILED');
    const msisdn = scene.number();
    const row = await scene.repaired('retry-top-up', id, { msisdn });
    scene.expectDone(row);
    const topup = await scene.topup(id);
    expect(topup).toMatchObject({ status: 'SUCCESS', attempt: 2 });
    expect(scene.stack.api.services.numbers.open(topup.msisdn)).toBe(msisdn);
    expect(JSON.stringify(row)).not.toContain(msisdn);
    expect(
      JSON.stringify(await scene.stack.database.selectFrom('audit_log').selectAll().execute()),
    ).not.toContain(msisdn);
  });

  it('tells that the attempt failed again', async () => {
    const id = await scene.topupIn('FAILED');
    const row = await scene.repaired('retry-top-up', id);
    expect(row).toMatchObject({ state: 'REFUSED', result: expect.stringMatching(/failed/i) });
    expect(await scene.topup(id)).toMatchObject({ status: 'FAILED', attempt: 2 });
  });

  it.each(['UNKNOWN', 'SUCCESS'] as const)('refuses one that is %s', async (status) => {
    const id = await scene.topupIn(status);
    expect((await scene.ask('retry-top-up', id)).kind).toBe('refused');
    expect((await scene.forced('retry-top-up', id)).state).toBe('REFUSED');
    expect(await scene.topup(id)).toMatchObject({ attempt: 1 });
  });
});

describe('a top-up that is under way', () => {
  it.each([
    ['retry-top-up', {}],
    ['settle-top-up', { outcome: 'not-done', reference: 'LETTER' }],
  ] as const)('refuses %s', async (kind, args) => {
    const halt = scene.haltAt('topup-sending');
    const sent = scene.topupIn('SUCCESS');
    await halt.arrived;
    const { id } = await scene.stack.database
      .selectFrom('topups')
      .select('id')
      .where('status', '=', 'PROCESSING')
      .executeTakeFirstOrThrow();
    const refusal = expect.stringMatching(/under way|being sent/);
    expect(await scene.ask(kind, id, args)).toMatchObject({ kind: 'refused', refusal });
    const row = await scene.forced(kind, id, args);
    expect(row).toMatchObject({ state: 'REFUSED', result: refusal });
    halt.letGo();
    expect(await sent).toBe(id);
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 1 });
  });
});

describe('a top-up that was delivered after it had failed', () => {
  it.each([
    ['retry-top-up', {}, /[Cc]ase \d+/],
    ['settle-top-up', { outcome: 'not-done', reference: 'LETTER' }, /[Cc]ase \d+/],
  ] as const)('refuses %s', async (kind, args, words) => {
    const late = createLateDeliveries(scene.stack);
    const id = await scene.topupIn('FAILED');
    const { reference, operation_id: operationId } = await late.attemptOf(id);
    await late.deliver(reference);
    await late.findLate(operationId);
    const holdings = await scene.holdings();
    const refusal = expect.stringMatching(words);
    expect(await scene.ask(kind, id, args)).toMatchObject({ kind: 'refused', refusal });
    const row = await scene.forced(kind, id, args);
    expect(row).toMatchObject({ state: 'REFUSED', result: refusal });
    expect(await scene.topup(id)).toMatchObject({ attempt: 1 });
    expect(await scene.holdings()).toEqual(holdings);
  });
});

describe.concurrent('settle-top-up', () => {
  it.each([
    ['done', 'SUCCESS'],
    ['not-done', 'FAILED'],
  ] as const)('settles one that is not known as %s', async (outcome, status) => {
    const id = await scene.topupIn('UNKNOWN');
    scene.expectDone(await scene.repaired('settle-top-up', id, { outcome, reference: 'LETTER' }));
    expect(await scene.topup(id)).toMatchObject({ status });
  });

  it.each(['FAILED', 'SUCCESS'] as const)('refuses one that is %s', async (status) => {
    const id = await scene.topupIn(status);
    const args = { outcome: 'done', reference: 'LETTER' };
    expect((await scene.ask('settle-top-up', id, args)).kind).toBe('refused');
    expect((await scene.forced('settle-top-up', id, args)).state).toBe('REFUSED');
    expect(await scene.topup(id)).toMatchObject({ status });
  });
});

describe('wallets', () => {
  const deposited = async (amount: string): Promise<string> => {
    await deposit(scene.stack, scene.partner.id, amount);
    const { rows } = await sql<{ reference: string }>`
      select replace(operation_id, 'deposit:', '') as reference from ledger_transfers
      where step = 'deposit' order by id desc limit 1`.execute(scene.stack.database);
    return rows[0]?.reference ?? '';
  };
  const wallet = async () => Number((await scene.balances()).eMoneyWalletBalance);

  it('correct-deposit takes a deposit back once', async () => {
    const before = await wallet();
    const reference = await deposited('10');
    const none = { amount: '0' };
    scene.expectDone(await scene.repaired('correct-deposit', reference, none));
    expect(await wallet()).toBe(before);
    expect((await scene.ask('correct-deposit', reference, none)).kind).toBe('refused');
    expect((await scene.forced('correct-deposit', reference, none)).state).toBe('REFUSED');
    expect(await wallet()).toBe(before);
  });

  it('correct-deposit refuses what the wallet does not cover', async () => {
    const before = await wallet();
    const reference = await deposited('10');
    const spent = await scene.spendGiftWallet(5);
    const args = { amount: '4.99' };
    expect((await scene.ask('correct-deposit', reference, args)).kind).toBe('refused');
    expect((await scene.forced('correct-deposit', reference, args)).state).toBe('REFUSED');
    expect(await wallet()).toBe(5);
    await spent.giveBack();
    expect(await wallet()).toBe(before + 10);
  });

  it('credit-goodwill credits once for a reference', async () => {
    await scene.addServiceFees('50');
    const before = await wallet();
    const args = { wallet: 'gift', amount: '25', reference: 'TICKET-1' };
    scene.expectDone(await scene.repaired('credit-goodwill', scene.partner.id, args));
    const again = await scene.repaired('credit-goodwill', scene.partner.id, args);
    expect(again).toMatchObject({ state: 'REFUSED' });
    expect(await wallet()).toBe(before + 25);
    await until(async () => {
      const { body } = await scene.asPartner.get('/transactions?limit=5');
      expect(JSON.stringify(body.data)).toContain('goodwill');
    });
  });
});
