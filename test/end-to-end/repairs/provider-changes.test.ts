import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StaffScene, setStaffScene } from '../../pages/staff/staff-scene.ts';
import { settleCase } from '../../positions/cases.ts';
import { askNow } from '../../positions/placements.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { reconciled } from '../faults/reconciled.ts';
import { consent } from './repair-desk.ts';

/** Repairs of what a provider has changed by itself: they move nothing, and say who settles it. */
let scene: StaffScene;

beforeAll(async () => {
  scene = await setStaffScene({ CALLER_WAIT_SECONDS: '2', TOPUP_RETRY_WINDOW_SECONDS: '3600' });
});
afterAll(() => scene?.stop());

const decided = { outcome: 'not-done', reference: 'LETTER' };

/** The provider changes its mind, and the reconciliation hears of it. */
async function changed(what: 'topups' | 'payouts', reference: string, status: string) {
  const { database, sandbox } = scene.stack;
  const url = `${sandbox.url}/books/${what}/${reference}`;
  expect((await call(url, { body: { status } })).status).toBe(200);
  await until(async () => {
    await askNow(database, reference);
    expect(await reconciled(scene.stack)).toContain(reference);
  });
}

/** Each repair is refused with these words, at the edge and by the step that acts, and nothing moves. */
async function expectRefused(id: number, kinds: readonly string[], words: RegExp) {
  const holdings = await scene.holdings();
  const refusal = expect.stringMatching(words);
  for (const kind of kinds) {
    const args = kind.startsWith('settle') ? decided : consent;
    expect(await scene.ask(kind, id, args)).toMatchObject({ kind: 'refused', refusal });
    expect(await scene.forced(kind, id, args)).toMatchObject({ state: 'REFUSED', result: refusal });
  }
  expect(await scene.holdings()).toEqual(holdings);
}

describe('a top-up that was delivered and taken back', () => {
  const referenceOf = async (id: number) =>
    (
      await scene.stack.database
        .selectFrom('topup_attempts')
        .select('reference')
        .where('topup_id', '=', id)
        .executeTakeFirstOrThrow()
    ).reference;

  it('is retried once its partner has its money back, and charged once', async () => {
    const id = await scene.topupIn('SUCCESS');
    const wallet = async () => (await scene.balances()).walletBalance;
    const said = async () => (await scene.first(`/support/top-ups/${id}`)).words;
    const charged = await wallet();
    const reference = await referenceOf(id);
    await changed('topups', reference, 'reversed');
    await expectRefused(id, ['retry-top-up', 'settle-top-up'], /Case \d+ of it is open/);
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 1 });

    expect(await said()).toContain('An operator settles case');
    await settleCase(scene.stack, reference, 'partner');
    expect(await wallet()).toBe(charged + 50);
    expect(await said()).toContain(
      'took it back after the delivery, and the partner has its money',
    );
    scene.expectDone(await scene.repaired('retry-top-up', id));
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 2 });
    expect(await wallet()).toBe(charged);
  });

  it('is not retried while another content at the provider is a case', async () => {
    const id = await scene.topupIn('FAILED');
    const reference = await referenceOf(id);
    Object.assign(scene.stack.sandbox.books.findTopup({ reference }) ?? {}, {
      currency: 'USD',
    });
    await changed('topups', reference, 'completed');
    await expectRefused(id, ['retry-top-up'], /Case \d+ of it is open/);
    const said = async () => (await scene.first(`/support/top-ups/${id}`)).words;
    expect(await said()).toContain('Do not retry it. An operator settles case');
    await settleCase(scene.stack, reference);
    expect(await said()).toContain('then retry');
    await scene.repaired('retry-top-up', id);
    expect(await scene.topup(id)).toMatchObject({ status: 'FAILED', attempt: 2 });
  });

  it('is no dead end where its provider was to deliver it again, and did not', async () => {
    const id = await scene.topupIn('SUCCESS');
    const reference = await referenceOf(id);
    await changed('topups', reference, 'reversed');
    await settleCase(scene.stack, reference, 'provider');
    await askNow(scene.stack.database, reference);
    expect(await reconciled(scene.stack)).toContain(reference);
    await expectRefused(id, ['retry-top-up', 'settle-top-up'], /Case \d+ of it is open/);
    const said = async () => (await scene.first(`/support/top-ups/${id}`)).words;
    expect(await said()).toContain('An operator settles case');
    // It delivers it again.
    const url = `${scene.stack.sandbox.url}/books/topups/${reference}`;
    expect((await call(url, { body: { status: 'completed' } })).status).toBe(200);
    await askNow(scene.stack.database, reference);
    await reconciled(scene.stack);
    expect(await said()).not.toContain('Ask an operator');
  });

  it('stays delivered where the platform bears it', async () => {
    const id = await scene.topupIn('SUCCESS');
    const reference = await referenceOf(id);
    await changed('topups', reference, 'reversed');
    await settleCase(scene.stack, reference, 'platform');
    await expectRefused(id, ['retry-top-up', 'settle-top-up'], /delivered/);
    const { words } = await scene.first(`/support/top-ups/${id}`);
    expect(words).toContain('It was delivered to');
    expect(words).not.toContain('Ask an operator');
  });
});

describe('a payment', () => {
  const paymentOf = async (state: 'redeemed' | 'paying') => {
    const { gift } = await scene.voucherIn(state);
    const { id, payment_reference: reference } = await scene.redemptionOf(gift);
    const said = async () => (await scene.firstOfVoucher(gift.id)).words;
    return { id, reference, said };
  };
  it('that the provider took back by itself is settled by an operator', async () => {
    const { id, reference, said } = await paymentOf('redeemed');
    await changed('payouts', reference, 'reversed');
    await expectRefused(id, ['settle-payment', 'reverse-redemption'], /Case \d+ of it is open/);
    expect(await said()).toContain('An operator settles case');
    await settleCase(scene.stack, reference, 'platform');
    expect(await said()).toMatch(
      /took the payment back by itself, and an operator has settled that/,
    );
    expect(await said()).not.toContain('Ask an operator');
  });

  it('that was made after all is settled by an operator, and not made again', async () => {
    const { id, reference, said } = await paymentOf('paying');
    scene.expectDone(await scene.repaired('settle-payment', id, decided));
    await changed('payouts', reference, 'completed');
    await expectRefused(id, ['settle-payment', 'reverse-redemption'], /Case \d+ of it is open/);
    expect(await said()).toContain('An operator settles case');
    await settleCase(scene.stack, reference, 'platform');
    expect(await said()).toMatch(
      /paid .+ after it had refused, and an operator has settled that\./,
    );
    expect(await said()).not.toContain('Ask an operator');
    await expectRefused(id, ['settle-payment', 'reverse-redemption'], /It was paid .+ who pays/);
    await changed('payouts', reference, 'reversed');
    expect(await said()).toContain('An operator settles case');
  });

  it('that was made again, and that the platform bears, is not returned to the voucher', async () => {
    const { id, reference } = await paymentOf('redeemed');
    await changed('payouts', reference, 'reversed');
    await settleCase(scene.stack, reference, 'payer');
    await changed('payouts', reference, 'completed');
    await settleCase(scene.stack, reference, 'platform');
    await expectRefused(id, ['settle-payment', 'reverse-redemption'], /It was paid .+ who pays/);
  });
});
