import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { CLAIM, done, type Gift, newOwner } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** Messages whose workflows Temporal has lost, or somebody has terminated. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS });
});
afterAll(() => scene?.stop());

async function runExpiry() {
  const handle = await scene.stack.temporal.client.workflow.start('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });
  return ended(scene.stack, handle.workflowId);
}

const messagesOf = ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('messages')
    .select(['id', 'kind', 'status', 'provider_message', 'settled_at'])
    .where('voucher_id', '=', id)
    .orderBy('id')
    .execute();

async function newestMessage(gift: Gift) {
  const message = (await messagesOf(gift)).at(-1);
  if (!message) throw new Error('The voucher has no message');
  return message;
}

const untilMessageIs = (gift: Gift, status: string) =>
  until(async () => expect(await newestMessage(gift)).toMatchObject({ status }));

const receivedBy = (number: string | null) =>
  scene.stack.sandbox.books.messages(number ?? '').map(({ text }) => text);

/** Puts the newest message back to where its workflow was when it was lost, so long ago. The outbox looks at it. */
async function leave(gift: Gift, status: 'QUEUED' | 'SENDING', age = '10 minutes') {
  const { id } = await newestMessage(gift);
  const { database } = scene.stack;
  await sql`update messages set status = ${status}, settled_at = null, provider_message = null,
    created_at = now() - ${age}::interval, due_at = now(),
    sending_since = case when ${status} = 'SENDING' then now() - ${age}::interval end where id = ${id}`.execute(
    database,
  );
  await sql`update redemptions set settled_at = settled_at - ${age}::interval
    where id = (select redemption_id from messages where id = ${id})`.execute(database);
}

async function claimHandle({ id }: Gift) {
  const claim = await scene.stack.database
    .selectFrom('voucher_claims')
    .select(['id', 'workflow_id'])
    .where('voucher_id', '=', id)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  const handle = scene.stack.temporal.client.workflow.getHandle(claim.workflow_id ?? '');
  return { claimId: claim.id, handle };
}

/** A redeemed gift whose confirmation was sent and whose workflow has ended. */
async function redeemedGift() {
  const gift = await scene.gift();
  await scene.redeemed(scene.asMerchant, gift);
  await untilMessageIs(gift, 'SENT');
  await (await claimHandle(gift)).handle.result();
  return gift;
}

/** A claimed gift whose workflow is lost. */
async function lostClaim() {
  const gift = await scene.gift();
  await scene.claimed(scene.asMerchant, gift);
  const { claimId, handle } = await claimHandle(gift);
  await handle.terminate();
  return { gift, claimId };
}

const setClaim = (claimId: string, values: { expires_at: Date }) =>
  scene.stack.database
    .updateTable('voucher_claims')
    .set(values)
    .where('id', '=', claimId)
    .execute();

describe('a confirmation that no workflow sends any more', () => {
  test('is sent once, not sent again from the middle of sending, and given up when too old', async () => {
    const [queued, sending, old] = [
      await redeemedGift(),
      await redeemedGift(),
      await redeemedGift(),
    ];
    await leave(queued, 'QUEUED');
    await leave(sending, 'SENDING');
    await leave(old, 'QUEUED', '25 hours');
    const before = receivedBy(queued.owner).length;
    const others = [sending, old].map(({ owner }) => receivedBy(owner));
    await untilMessageIs(queued, 'SENT');
    await untilMessageIs(sending, 'UNKNOWN');
    await untilMessageIs(old, 'CANCELLED');
    expect(await newestMessage(old)).toMatchObject({
      provider_message: 'Given up: too old to be sent',
      settled_at: expect.any(Date),
    });
    const received = receivedBy(queued.owner);
    expect(received).toHaveLength(before + 1);
    expect(received[0]).toMatch(/^ETB 100\.00 of your gift voucher was used/);
    expect([sending, old].map(({ owner }) => receivedBy(owner))).toEqual(others);
  });

  test('is tried again after a pause, with the reason, where the provider does not take it', async () => {
    const { faults } = scene.stack.sandbox;
    const usual = faults.of('africas-talking');
    faults.set('africas-talking', { ...usual, answers: 'not-authorised' });
    const msisdn = newOwner();
    const gift = await scene.gift({ owner: null });
    done(await redeem(scene.asPartner, gift, { msisdn }));
    const waiting = { status: 'QUEUED', provider_message: 'The API key was not accepted.' };
    await until(async () => expect(await newestMessage(gift)).toMatchObject(waiting));
    await leave(gift, 'QUEUED');
    await until(async () => expect(await newestMessage(gift)).toMatchObject(waiting));
    faults.set('africas-talking', usual);
    await leave(gift, 'QUEUED');
    await untilMessageIs(gift, 'SENT');
    expect(receivedBy(msisdn)).toHaveLength(1);
  });

  test('waits while the payment is under way, however long', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const answer = redeem(client, gift, { verificationCode });
    await scene.untilPaidTo(merchant);
    const other = await redeemedGift();
    await leave(gift, 'QUEUED', '25 hours');
    await leave(other, 'QUEUED');
    await untilMessageIs(other, 'SENT');
    expect(await newestMessage(gift)).toMatchObject({ status: 'QUEUED' });
    await scene.settlePayout(merchant, 'completed');
    await answer;
    await untilMessageIs(gift, 'SENT');
  });
});

describe('a code that no workflow sends any more', () => {
  test('is cancelled with its claim', async () => {
    const { gift, claimId } = await lostClaim();
    await leave(gift, 'QUEUED');
    await setClaim(claimId, { expires_at: new Date(Date.now() - 120_000) });
    expect(await runExpiry()).toMatchObject({ expiredClaims: 1 });
    expect(await newestMessage(gift)).toMatchObject({ status: 'CANCELLED' });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
  });

  test('is cancelled where its claim has ended before', async () => {
    const { gift } = await lostClaim();
    done(await scene.asMerchant.post(CLAIM, { voucherCode: gift.voucherCode }));
    const [code] = await messagesOf(gift);
    await scene.stack.database
      .updateTable('messages')
      .set({ status: 'QUEUED', settled_at: null, due_at: new Date() })
      .where('id', '=', code?.id ?? 0)
      .execute();
    await until(async () =>
      expect((await messagesOf(gift))[0]).toMatchObject({
        status: 'CANCELLED',
        provider_message: 'Given up: the claim ended before it was sent',
      }),
    );
  });

  test('is cancelled by a new claim, and by the end of its own', async () => {
    const { gift } = await lostClaim();
    await leave(gift, 'QUEUED');
    done(await scene.asMerchant.post(CLAIM, { voucherCode: gift.voucherCode }));
    expect((await messagesOf(gift)).map(({ status }) => status)).toEqual(['CANCELLED', 'SENT']);
  });

  test('is unknown where it was in the middle of sending', async () => {
    const { gift } = await lostClaim();
    await leave(gift, 'SENDING');
    await untilMessageIs(gift, 'UNKNOWN');
  });

  test('is left to its claim where it is queued', async () => {
    const { gift } = await lostClaim();
    const other = await redeemedGift();
    await leave(gift, 'QUEUED');
    await leave(other, 'QUEUED');
    await untilMessageIs(other, 'SENT');
    expect(await newestMessage(gift)).toMatchObject({ status: 'QUEUED' });
  });
});
