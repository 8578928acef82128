import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doingPlacement } from '../../../src/db/positions/placements.ts';
import { placingReversal } from '../../../src/db/vouchers/reversals.ts';
import { reverseRedemptionId } from '../../../workflows/workflow-ids.ts';
import { commandsOn } from '../../admin/scene.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { caseOf, settleAlone } from '../../positions/cases.ts';
import { observe } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { until } from '../../support/until.ts';
import { reconciled } from '../faults/reconciled.ts';
import type { Gift } from '../gift/gift-scene.ts';
import { consent } from './repair-desk.ts';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/** A reversal that its provider does not confirm as it was asked stays open until a person settles it. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({ CALLER_WAIT_SECONDS: '1', REPAIR_CONFIRM_FROM: '5000' });
});
afterAll(() => scene?.stop());

/** A reversal that its provider leaves pending. */
async function reversing() {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '023' });
  const gift = await scene.gift({ merchant });
  await scene.redeemed(client, gift);
  const redemption = await scene.redemptionOf(gift);
  await client.post(`/redemptions/${redemption.id}/reverse`, { idempotencyKey: randomUUID() });
  const { books } = scene.stack.sandbox;
  const { reference } = await until(() => {
    const [taken] = books.reversals({ to: merchant.payoutNumber });
    if (!taken) throw new Error('The provider has taken no reversal');
    return taken;
  });
  return { gift, redemption, reference };
}

async function reversedOtherwise(amount: string) {
  const { books } = scene.stack.sandbox;
  const { gift, redemption, reference } = await reversing();
  const taken = books.findReversal('reference', reference);
  if (!taken) throw new Error('The provider has no reversal');
  books.settle(Object.assign(taken, { amount }), 'completed');
  return { gift, redemption, reference };
}

const reversalOf = (redemptionId: number) =>
  scene.stack.database
    .selectFrom('redemption_reversals')
    .select(['operation_id', 'status', 'provider_reference'])
    .where('redemption_id', '=', redemptionId)
    .executeTakeFirstOrThrow();

/** Asks as people of the service do; returns the id of the repair. */
const surfaces = {
  async page(gift: Gift, reference: string, values: Readonly<Record<string, string>>) {
    const { client } = await staffClient(scene.stack, 'OPERATOR');
    const path = `/support/vouchers/${gift.id}`;
    await until(async () => {
      const { html } = await client.get(path);
      expect(html).toMatch(new RegExp(`to take .* and quote <code>${reference}</code>`, 's'));
    });
    const action = '/support/repairs/ask/settle-payment';
    const { location } = await client.submit(path, action, { ...values, why: 'Ticket 4711' });
    return Number(/\d+$/.exec(location ?? '')?.[0]);
  },
  async command(gift: Gift, _reference: string, values: Readonly<Record<string, string>>) {
    const redemption = await scene.redemptionOf(gift);
    const { id, platform_reference: name } = redemption;
    // Its workflow was lost.
    const workflowId = reverseRedemptionId(id, (await reversalOf(id)).operation_id);
    await scene.stack.temporal.client.workflow.getHandle(workflowId).terminate('lost');
    const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    const options = Object.entries(values).map(([option, value]) => `--${option} ${value}`);
    const words = `voucher settle-payment ${name} ${options.join(' ')} --why letter`;
    const showing = `"voucher show ${gift.id}" prints the facts.`;
    expect((await operator.admin(words)).err).toContain(`Missing: --facts. ${showing}`);
    // The facts of the payment, which a person saw before it was made.
    const seen = `--facts operationId=${redemption.operation_id},provider=gsma`;
    expect((await operator.admin(`${words} ${seen}`)).err).toContain('It has changed meanwhile');
    const shown = await operator.admin(`voucher show ${gift.id}`);
    const ofReversal = new RegExp(
      `^voucher settle-payment ${id} (--facts \\S+) {2}reversal of`,
      'm',
    );
    const facts = ofReversal.exec(shown.out)?.[1];
    return (await operator.json(`${words} ${facts}`)).repair;
  },
};

it.each([
  ['page', 'done', '90.00', '100.000000', '7.500000', 'SUCCESS'],
  ['page', 'done', '110.00', '100.000000', '-12.500000', 'SUCCESS'],
  ['command', 'not-done', '90.00', '0.000000', '-90.000000', 'FAILED'],
] as const)(
  'by the %s as %s ends it, and the rest of ETB %s is a case',
  async (surface, outcome, amount, remaining, rest, status) => {
    const { gift, redemption, reference } = await reversedOtherwise(amount);
    const { id, operation_id, payment_reference, provider_reference } = redemption;
    const decided = { outcome, reference: `REV-${randomUUID()}` };
    const { database } = scene.stack;
    const other = await scene.redemptionOf((await scene.voucherIn('redeemed')).gift);
    scene.expectDone(await scene.repaired('reverse-redemption', other.id, consent));
    const { provider_reference: ofOther } = await reversalOf(other.id);
    for (const used of [provider_reference, ofOther])
      expect(
        await scene.ask('settle-payment', id, { outcome: 'done', reference: String(used) }),
      ).toMatchObject({ refusal: expect.stringContaining('belongs to another payment') });
    const repair = await surfaces[surface](gift, reference, decided);
    scene.expectDone(await scene.ended(repair));
    expect(await reversalOf(id)).toMatchObject({
      status,
      provider_reference: outcome === 'done' ? decided.reference : null,
    });
    expect(await scene.voucher(gift)).toMatchObject({ remaining });
    await reconciled(scene.stack);
    expect(await caseOf(database, payment_reference)).toMatchObject({
      subject: operation_id,
      difference: 'amount',
      amount: rest,
      closed_at: null,
    });
    await settleAlone(database, payment_reference, 'platform');
    expect(await caseOf(database, payment_reference)).toMatchObject({ borne_by: 'platform' });
    expect(await findBrokenInvariants(database)).toEqual([]);
  },
);

it('is settled under the reference of which a statement told without ours, and counts once', async () => {
  const { gift, redemption } = await reversing();
  const { id, operation_id, payment_reference } = redemption;
  const { database } = scene.stack;
  const told = `REV-${randomUUID()}`;
  await database.transaction().execute(async (transaction) => {
    await placingReversal(told, doingPlacement(sql`${operation_id}`)).execute(transaction);
    await observe(transaction, operation_id, {
      ...{ placed: told, said: 'done', providerReference: told, source: 'statement' },
    });
  });
  const done = (reference: string) => ({ outcome: 'done', reference });
  expect(await scene.ask('settle-payment', id, done('LETTER-1'))).toMatchObject({
    refusal: expect.stringContaining(`told of this reversal under ${told}: give`),
  });
  scene.expectDone(await scene.repaired('settle-payment', id, done(told)));
  expect(await reversalOf(id)).toMatchObject({ status: 'SUCCESS', provider_reference: told });
  expect(await scene.voucher(gift)).toMatchObject({ remaining: '100.000000' });
  await reconciled(scene.stack);
  expect((await caseOf(database, payment_reference)).closed_at).not.toBeNull();
  expect(await findBrokenInvariants(database)).toEqual([]);
});

it('is settled under the reference of our own order, where the provider has told of that and of another', async () => {
  const { redemption, reference } = await reversing();
  const { id, operation_id, payment_reference } = redemption;
  const { database } = scene.stack;
  const [ofOurs, another] = [`REV-${randomUUID()}`, `REV-${randomUUID()}`];
  await database.transaction().execute(async (transaction) => {
    await placingReversal(another, doingPlacement(sql`${operation_id}`)).execute(transaction);
    for (const [placed, providerReference] of [
      [reference, ofOurs],
      [another, another],
    ] as const)
      await observe(transaction, operation_id, { placed, said: 'done', providerReference });
  });
  const done = (told: string) => ({ outcome: 'done', reference: told });
  expect(await scene.ask('settle-payment', id, done(another))).toMatchObject({
    refusal: expect.stringContaining(`told of this reversal under ${ofOurs}: give`),
  });
  scene.expectDone(await scene.repaired('settle-payment', id, done(ofOurs)));
  await reconciled(scene.stack);
  expect(await caseOf(database, payment_reference)).toMatchObject({
    difference: 'amount',
    amount: '-97.500000',
    closed_at: null,
  });
  await settleAlone(database, payment_reference, 'platform');
  expect(await findBrokenInvariants(database)).toEqual([]);
});
