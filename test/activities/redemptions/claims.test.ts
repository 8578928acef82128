import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createMessageSender } from '../../../activities/messages.ts';
import { createClaimActivities } from '../../../activities/redemptions/claims.ts';
import { createCancellationActivities } from '../../../activities/vouchers/cancellation.ts';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import type { Sql } from '../../../src/db/connection.ts';
import { createBackgroundTasks } from '../../../src/runtime/process/background-tasks.ts';
import type { CancelVoucherCommand, ClaimCommand } from '../../../workflows/contracts.ts';
import { credentialOf } from '../../admin/movements.ts';
import { type GiftScene, setGiftScene } from '../../end-to-end/gift/gift-scene.ts';
import { setOfOne } from '../../providers/set-of-one.ts';

/**
 * Temporal repeats a step whose end it has not seen, and after a lost workflow task the workflow may
 * go another way than before: the SMS provider's answer and the end of waiting for it may come in
 * another order. What the database has decided must stand.
 */
let scene: GiftScene;
let activities: ReturnType<typeof createClaimActivities>;
const RUN = { claimLifetimeMs: 60_000, workflowId: 'claim', sendingMs: 5_000 };
/** Who takes no message, and whether it may take another one. */
const sms = { sent: 0, isAvailable: true, takes: false };
beforeAll(async () => {
  scene = await setGiftScene();
  const { config, database, digests } = scene.stack;
  const dependencies = {
    database,
    digests,
    secretBox: createSecretBox(config.secrets.dataKeys),
    numbers: scene.stack.api.services.numbers,
    failpoint: () => undefined,
    background: createBackgroundTasks(() => true),
    mobileMoney: setOfOne('gsma', { canCarry: () => true }),
    smsSenders: {
      ...setOfOne('smpp', {
        async send() {
          sms.sent += 1;
          return sms.takes
            ? { kind: 'delivered', providerReference: randomUUID() }
            : { kind: 'not-sent', message: 'no connection' };
        },
      }),
      isAvailable: () => sms.isAvailable,
    },
    settings: {
      vouchers: {
        codeAttemptsBeforeLongCodes: 20,
        messageCooldownSeconds: 0,
        messagesPerNumberAndDay: 10,
        messagesPerCompanyAndDay: 1_000,
      },
      providerGuard: { providerCallWaitSeconds: 1, providerDeadlineSeconds: 25 },
    },
  } as unknown as ActivityDependencies;
  activities = createClaimActivities(dependencies, createMessageSender(dependencies));
});
afterAll(() => scene?.stop());

const commandOf = async (voucherId: number): Promise<ClaimCommand> => ({
  operationId: randomUUID().replaceAll('-', ''),
  requestId: randomUUID(),
  requestDigest: 'digest',
  company: {
    kind: 'merchant',
    id: scene.merchant.id,
    credential: await credentialOf(scene.stack.database, 'merchant', scene.merchant.id),
  },
  voucherId,
  amount: null,
});

async function claimOf(voucherId: number, workflowId = RUN.workflowId) {
  const command = await commandOf(voucherId);
  const claim = await activities.claimAndSend(command, { ...RUN, workflowId });
  if (claim.kind !== 'started') throw new Error('The claim was refused');
  return { command, claimId: claim.claimId };
}

it('a claim that was taken back stays so when it is confirmed in another try', async () => {
  const gift = await scene.gift();
  const { command, claimId } = await claimOf(gift.id);
  await activities.cancelClaim(command, claimId, 'the number does not exist');
  const outcome = await activities.confirmClaim(command, 'accepted');
  expect(outcome).toMatchObject({
    requestId: command.requestId,
    result: { ok: false, reason: 'message-not-queued' },
  });
  expect((await scene.voucher(gift)).status).toBe('ACTIVE');
  // Nothing is left under its key, so a repetition is carried out.
  expect(await claimsAgain(command)).toBe('started');
});

it('a claim that was confirmed keeps its answer when it is taken back in another try', async () => {
  const gift = await scene.gift();
  const { command, claimId } = await claimOf(gift.id);
  await activities.confirmClaim(command, 'accepted');
  const outcome = await activities.cancelClaim(command, claimId, 'the number does not exist');
  expect(outcome.result).toEqual({ ok: true });
  expect((await scene.voucher(gift)).status).toBe('ACTIVE');
});

it('a claim whose payment is under way is not taken back by a late refusal of its message', async () => {
  const { database } = scene.stack;
  const gift = await scene.gift();
  const { command, claimId } = await claimOf(gift.id);
  await activities.confirmClaim(command, 'unknown');
  const move = (values: { status: 'REDEEM_PROCESSING' | 'ACTIVE'; remaining: Sql; held: Sql }) =>
    sql`
      update vouchers set status = ${values.status}, remaining = ${values.remaining},
        held = ${values.held} where id = ${gift.id}`.execute(database);
  await move({ status: 'REDEEM_PROCESSING', remaining: sql`0`, held: sql`remaining` });
  const outcome = await activities.cancelClaim(command, claimId, 'the number does not exist');
  expect(outcome.result).toMatchObject({ ok: true });
  const { rows } = await sql`select status from voucher_claims where id = ${claimId}`.execute(
    database,
  );
  expect(rows).toEqual([{ status: 'OPEN' }]);
  await move({ status: 'ACTIVE', remaining: sql`held`, held: sql`0` });
});

it('a claim that was replaced stays so when its step is repeated', async () => {
  const gift = await scene.gift();
  const { command, claimId } = await claimOf(gift.id);
  const newer = await claimOf(gift.id);
  const again = await activities.claimAndSend(command, RUN);
  // Its message was cancelled with it, and its caller hears that.
  const outcome = { result: { ok: false, reason: 'message-not-queued' } };
  expect(again).toMatchObject({ kind: 'started', claimId, outcome });
  expect((await scene.voucher(gift)).current_claim_id).toBe(newer.claimId);
});

it('a claim that was replaced is confirmed all the same, since its code was sent', async () => {
  const gift = await scene.gift();
  const { command } = await claimOf(gift.id);
  const newer = await claimOf(gift.id);
  expect((await activities.confirmClaim(command, 'accepted')).result).toEqual({ ok: true });
  expect((await scene.voucher(gift)).current_claim_id).toBe(newer.claimId);
});

it('a repeated claim names the claim that it has replaced, whose workflow still waits', async () => {
  const gift = await scene.gift();
  await claimOf(gift.id, 'first claim');
  await claimOf(gift.id, 'second claim');
  const command = await commandOf(gift.id);
  const run = { ...RUN, workflowId: 'third claim' };
  for (const _time of [1, 2])
    expect(await activities.claimAndSend(command, run)).toMatchObject({
      supersededWorkflowId: 'second claim',
    });
  // The first claim of a voucher has replaced none.
  const first = await commandOf((await scene.gift()).id);
  for (const _time of [1, 2])
    expect(await activities.claimAndSend(first, run)).toMatchObject({
      supersededWorkflowId: null,
    });
});

it('a repeated cancellation names the claim that has ended with it', async () => {
  const { database } = scene.stack;
  const { cancelVoucher } = createCancellationActivities({ database } as ActivityDependencies);
  const { id } = scene.partner;
  const cancel = async (voucherId: number): Promise<CancelVoucherCommand> => ({
    operationId: randomUUID().replaceAll('-', ''),
    requestId: randomUUID(),
    requestDigest: 'digest',
    company: { kind: 'partner', id, credential: await credentialOf(database, 'partner', id) },
    voucherId,
  });
  const gift = await scene.gift();
  const { command } = await claimOf(gift.id);
  const [claimed, unclaimed] = [await cancel(gift.id), await cancel((await scene.gift()).id)];
  const endedClaim = { operationId: command.operationId, workflowId: 'claim' };
  for (const _time of [1, 2]) {
    expect(await cancelVoucher(claimed)).toMatchObject({ endedClaim });
    expect(await cancelVoucher(unclaimed)).toMatchObject({ endedClaim: null });
  }
});

it('a claim whose code was used stays so when its step is repeated', async () => {
  const gift = await scene.gift();
  const { command, claimId } = await claimOf(gift.id);
  await scene.stack.database
    .updateTable('voucher_claims')
    .set({ status: 'REDEEMED' })
    .where('id', '=', claimId)
    .execute();
  const again = await activities.claimAndSend(command, RUN);
  expect(again).toMatchObject({ kind: 'started', claimId });
});

it('a claim that was confirmed goes on when its step is repeated, also where it has ended', async () => {
  const gift = await scene.gift();
  await claimOf(gift.id, 'replaced claim');
  const command = await commandOf(gift.id);
  sms.sent = 0;
  sms.takes = true;
  const { requestId, requestDigest } = command;
  const outcome = { requestId, requestDigest, result: { ok: true } };
  for (const _time of [1, 2])
    expect(await activities.claimAndSend(command, RUN)).toMatchObject({
      kind: 'started',
      supersededWorkflowId: 'replaced claim',
      message: { kind: 'accepted' },
      outcome,
    });
  sms.takes = false;
  expect(sms.sent).toBe(1);
  // The same request under another id is told the answer alone.
  const answered = { kind: 'answered', outcome };
  const another = { ...command, requestId: randomUUID() };
  expect(await activities.claimAndSend(another, RUN)).toEqual(answered);
  await scene.stack.database
    .updateTable('voucher_claims')
    .set({ status: 'EXPIRED' })
    .where('operation_id', '=', command.operationId)
    .execute();
  // Its workflow learns its end by a signal, or by the time that is over.
  expect(await activities.claimAndSend(command, RUN)).toMatchObject({ kind: 'started', outcome });
});

it('a claim whose code nobody takes now is withdrawn at once, and else waits for another try', async () => {
  const gift = await scene.gift();
  sms.sent = 0;
  expect(await activities.claimAndSend(await commandOf(gift.id), RUN)).not.toHaveProperty(
    'outcome',
  );
  sms.isAvailable = false;
  const command = await commandOf(gift.id);
  expect(await activities.claimAndSend(command, RUN)).toMatchObject({
    message: { kind: 'refused', message: 'no connection' },
    outcome: { result: { ok: false, reason: 'message-not-queued' } },
  });
  expect(sms.sent).toBe(2);
  expect((await scene.voucher(gift)).status).toBe('ACTIVE');
  expect(await claimsAgain(command)).toBe('started');
});

const claimsAgain = async (command: ClaimCommand) =>
  (await activities.claimAndSend(command, RUN)).kind;
