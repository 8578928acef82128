import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOn } from '../../admin/scene.js';
import { call } from '../../support/clients.js';
import { until } from '../../support/until.js';
import { reconciled } from '../faults/reconciled.js';
import { type RepairScene, setRepairScene } from './repair-scene.js';

/** Repairs of what a provider has changed by itself: they move nothing, and say who settles it. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({ CALLER_WAIT_SECONDS: '2', TOPUP_RETRY_WINDOW_SECONDS: '3600' });
});
afterAll(() => scene?.stop());

const decided = { outcome: 'not-done', reference: 'LETTER' };

/** The provider changes its mind, and the reconciliation hears of it. */
async function changed(what: 'topups' | 'payouts', reference: string, status: string) {
  const { database, sandbox } = scene.stack;
  const url = `${sandbox.url}/books/${what}/${reference}`;
  expect((await call(url, { body: { status } })).status).toBe(200);
  const [table, column] =
    what === 'topups' ? ['topup_attempts', 'reference'] : ['redemptions', 'payment_reference'];
  await until(async () => {
    await sql`update ${sql.table(table)} set recheck_at = now()
      where ${sql.ref(column)}::text = ${reference} and recheck_at is not null`.execute(database);
    expect(await reconciled(scene.stack)).toContain(reference);
  });
}

/** Each repair is refused with these words, at the edge and by the step that acts, and nothing moves. */
async function expectRefused(id: number, kinds: readonly string[], words: RegExp) {
  const holdings = await scene.holdings();
  const refusal = expect.stringMatching(words);
  for (const kind of kinds) {
    const args = kind.startsWith('settle') ? decided : {};
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
    const id = await scene.topUpIn('SUCCESS');
    const wallet = async () => (await scene.balances()).walletBalance;
    const charged = await wallet();
    const reference = await referenceOf(id);
    await changed('topups', reference, 'reversed');
    await expectRefused(id, ['retry-top-up', 'settle-top-up'], /settle reversal/);
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 1 });

    const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    await operator.json(`settle reversal ${reference} --to partner --note agreed`);
    expect(await wallet()).toBe(charged + 50);
    scene.expectDone(await scene.repaired('retry-top-up', id));
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 2 });
    expect(await wallet()).toBe(charged);
  });

  it.each(['platform', 'provider'])('stays delivered where the %s bears it', async (to) => {
    const id = await scene.topUpIn('SUCCESS');
    const reference = await referenceOf(id);
    await changed('topups', reference, 'reversed');
    const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    await operator.json(`settle reversal ${reference} --to ${to} --note agreed`);
    await expectRefused(id, ['retry-top-up', 'settle-top-up'], /delivered/);
  });
});

describe('a payment', () => {
  const paymentOf = async (state: 'redeemed' | 'paying') => {
    const { gift } = await scene.voucherIn(state);
    const { id } = await scene.redemptionOf(gift);
    const { payment_reference: reference } = await scene.stack.database
      .selectFrom('redemptions')
      .select('payment_reference')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { id, reference };
  };

  it('that the provider took back by itself is settled by an operator', async () => {
    const { id, reference } = await paymentOf('redeemed');
    await changed('payouts', reference, 'reversed');
    await expectRefused(id, ['settle-payment', 'reverse-redemption'], /settle reversal/);
  });

  it('that was made after all is settled by an operator, and not made again', async () => {
    const { id, reference } = await paymentOf('paying');
    scene.expectDone(await scene.repaired('settle-payment', id, decided));
    await changed('payouts', reference, 'completed');
    await expectRefused(id, ['settle-payment', 'reverse-redemption'], /settle late-success/);
  });
});
