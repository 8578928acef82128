import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declineRepair } from '../../../src/db/repairs/repairs.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { askAll } from '../../positions/placements.ts';
import { merchantClient } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { redeem } from '../gift/redemption-scene.ts';
import { type First, lockOfVoucher, type RaceScene, setRaceScene } from './race-scene.ts';
import { consent } from './repair-desk.ts';

/**
 * Repairs that meet customers, partners, merchants and providers at the same moment: one comes first, and
 * value is there once. The end of the file checks the books.
 */
let scene: RaceScene;

beforeAll(async () => {
  scene = await setRaceScene({ CLAIM_LIFETIME_SECONDS: '600', CALLER_WAIT_SECONDS: '8' });
});
afterAll(() => scene?.stop());

/** The repair may begin before, within and after the request that it meets. */
const ROUNDS = [0, 1, 2];

async function claimedGift() {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  return { merchant, client, gift, verificationCode: await scene.claimed(client, gift) };
}

it.each(['cancel-voucher', 'cancel-claim'] as const)(
  '%s meets the redemption: the merchant is paid, or the value is free again',
  async (kind) => {
    for (const _round of ROUNDS) {
      const { merchant, client, gift, verificationCode } = await claimedGift();
      const [answer, row] = await Promise.all([
        redeem(client, gift, { verificationCode }),
        scene.ask(kind, gift.id).then((asked) => (asked.kind === 'refused' ? asked : asked.row)),
      ]);
      const repair = 'id' in row ? await scene.ended(row.id) : undefined;
      const isPaid = answer.status === 200;
      expect(scene.amountsPaidTo(merchant)).toEqual(isPaid ? ['97.50 completed'] : []);
      const { status } = await scene.voucher(gift);
      if (isPaid) expect([status, repair?.state ?? 'REFUSED']).toEqual(['REDEEMED', 'REFUSED']);
      else
        expect([status, repair?.state]).toEqual([
          kind === 'cancel-claim' ? 'ACTIVE' : 'CANCELLED',
          'DONE',
        ]);
    }
  },
);

/** A repair and a redemption that both wait for the row of the voucher, the first of them first. */
async function inOrder(first: First, kind: 'cancel-voucher' | 'cancel-claim') {
  const { merchant, client, gift, verificationCode } = await claimedGift();
  // Before the step that takes the voucher's lock: one cancels by a workflow, the other by itself.
  const at = kind === 'cancel-voucher' ? 'repair-begin-committed' : 'repair-begun';
  const { letGo } = await scene.halted(at, () => scene.asked(kind, gift.id));
  const { row, answer } = await scene.meet(
    { lock: lockOfVoucher(gift), first },
    { repair: letGo, other: () => redeem(client, gift, { verificationCode }) },
  );
  const { status } = await scene.voucher(gift);
  return { paid: scene.amountsPaidTo(merchant), answer: answer.status, state: row.state, status };
}

it.each([
  ['cancel-claim', 'ACTIVE'],
  ['cancel-voucher', 'CANCELLED'],
] as const)('%s before the redemption, and after it', async (kind, status) => {
  const refused = await inOrder('repair', kind);
  expect(refused).toMatchObject({ paid: [], state: 'DONE', status });
  expect(refused.answer).not.toBe(200);
  expect(await inOrder('other', kind)).toEqual({
    paid: ['97.50 completed'],
    answer: 200,
    state: 'REFUSED',
    status: 'REDEEMED',
  });
});

it('a payment settled as not done meets the payment: what was paid is known', async () => {
  for (const _round of ROUNDS) {
    const { gift, merchant } = await scene.voucherIn('paying');
    const { id, operation_id } = await scene.redemptionOf(gift);
    const decided = { outcome: 'not-done', reference: 'LETTER' };
    const [row] = await Promise.all([
      scene.asked('settle-payment', id, decided),
      scene.settlePayout(merchant, 'completed'),
    ]);
    const { state } = await scene.ended(row.id);
    const { status } = await scene.redemptionOf(gift);
    expect([state, status]).toEqual(state === 'DONE' ? ['DONE', 'VOIDED'] : ['REFUSED', 'POSTED']);
    if (status === 'POSTED') continue;
    // The provider has paid after all: its next answer makes it a case.
    await askAll(scene.stack.database);
    const found = await until(async () => {
      await scene.stack.temporal.client.workflow
        .execute('reconcile', {
          workflowId: `reconcile-${randomUUID()}`,
          taskQueue: scene.stack.config.temporal.temporalTaskQueue,
        })
        // The reconciliation that opens a case is red.
        .catch(() => undefined);
      const one = await scene.stack.database
        .selectFrom('cases')
        .select('amount')
        .where('subject', '=', operation_id)
        .executeTakeFirst();
      if (!one) throw new Error('The late payment is no case yet');
      return one;
    });
    expect(Number(found.amount)).toBe(97.5);
  }
});

it("a retry meets the partner's own retry: there is one more attempt", async () => {
  for (const _round of ROUNDS) {
    const id = await scene.topupIn('FAILED');
    const msisdn = scene.number();
    const before = await scene.balances();
    const [asked] = await Promise.all([
      scene.ask('retry-top-up', id, { msisdn }),
      scene.asPartner.post('/topup-transactions/retry-topup', { transactionId: id, msisdn }),
    ]);
    if (asked.kind !== 'refused') await scene.ended(asked.row.id);
    await until(async () => expect((await scene.topup(id)).status).toBe('SUCCESS'));
    expect(await scene.topup(id)).toMatchObject({ attempt: 2 });
    const after = await scene.balances();
    expect(before.walletBalance - after.walletBalance).toBe(50);
  }
});

it("a reversal meets the merchant's own: the value returns once", async () => {
  const { gift, merchant } = await scene.voucherIn('redeemed');
  const { id } = await scene.redemptionOf(gift);
  const client = await merchantClient(scene.stack, merchant);
  const [asked] = await Promise.all([
    scene.ask('reverse-redemption', id, consent),
    client.post(`/redemptions/${id}/reverse`, { idempotencyKey: randomUUID() }),
  ]);
  if (asked.kind !== 'refused') await scene.ended(asked.row.id);
  await until(async () => expect((await scene.voucher(gift)).remaining).toBe('100.000000'));
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 reversed']);
});

it('two repairs of one voucher meet: each is judged after the other', async () => {
  for (const _round of ROUNDS) {
    const { gift } = await claimedGift();
    const rows = await Promise.all(
      ['cancel-voucher', 'cancel-claim', 'extend-claim'].map((kind) =>
        scene.ask(kind, gift.id, kind === 'extend-claim' ? { minutes: '30' } : {}),
      ),
    );
    for (const asked of rows) if (asked.kind !== 'refused') await scene.ended(asked.row.id);
    expect(await scene.voucher(gift)).toMatchObject({
      status: 'CANCELLED',
      current_claim_id: null,
    });
  }
});

it('a confirmation meets the refusal of another person: one counts', async () => {
  const supervisor = await scene.staff('SUPERVISOR');
  const actor = staffActor(await scene.staff('SUPERVISOR'));
  for (const _round of ROUNDS) {
    const gift = await scene.gift();
    const { id } = await scene.asked('cancel-voucher', gift.id, {}, { isByTwo: true });
    const [isConfirmed, isDeclined] = await Promise.all([
      scene.confirm(id, supervisor),
      scene.stack.database
        .transaction()
        .execute((transaction) => declineRepair(transaction, id, { actor, why: 'No' })),
    ]);
    expect([isConfirmed, isDeclined].filter(Boolean)).toHaveLength(1);
    const { state } = await scene.ended(id);
    expect(state).toBe(isConfirmed ? 'DONE' : 'REFUSED');
    expect((await scene.voucher(gift)).status).toBe(isConfirmed ? 'CANCELLED' : 'ACTIVE');
  }
});
