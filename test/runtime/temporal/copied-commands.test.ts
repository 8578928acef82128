import { randomUUID } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redeemVoucherWithoutClaimId } from '../../../workflows/workflow-ids.ts';
import type { Client, Gift } from '../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeemToEnd,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { merchantClient, partnerClient } from '../../support/clients.ts';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../support/companies.ts';
import { untilBlocked } from '../../support/database-locks.ts';
import { until } from '../../support/until.ts';

/**
 * Payloads that the service encrypted itself, copied to another place by whoever reaches Temporal's port
 * and has no keys: nothing moves.
 */
let scene: RedemptionScene;
/** The provider leaves its payments open. */
let payee: TestMerchant;
let asPayee: Client;
/** Has the number of that merchant. */
let twin: TestPartner;
let asTwin: Client;

beforeAll(async () => {
  scene = await setRedemptionScene({ MESSAGE_COOLDOWN_SECONDS: '30' });
  payee = await makeMerchant(scene.stack, { payoutSuffix: '014' });
  twin = await makePartner(scene.stack);
  asPayee = await merchantClient(scene.stack, payee);
  asTwin = await partnerClient(scene.stack, twin);
});
afterAll(() => scene?.stop());

/** Starts a workflow with payloads as they are. */
async function startCopy(type: string, workflowId: string, payloads: Payload[]): Promise<unknown> {
  const { temporal, config } = scene.stack;
  await temporal.connection.workflowService.startWorkflowExecution({
    namespace: temporal.namespace,
    workflowId,
    workflowType: { name: type },
    taskQueue: { name: config.temporal.temporalTaskQueue },
    input: { payloads },
    requestId: randomUUID(),
  });
  return temporal.client.workflow
    .getHandle(workflowId)
    .result()
    .catch((error: unknown) => error);
}

const eventsOf = async (workflowId: string) =>
  (await scene.stack.temporal.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];

/** The workflow of an anonymous voucher's redemptions, and the data of the last one that it accepted. */
async function lastRedemptionOf({ id }: Gift) {
  const { operation_id: generationId } = await scene.stack.database
    .selectFrom('vouchers')
    .select('operation_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const workflowId = redeemVoucherWithoutClaimId(generationId);
  const requests = (await eventsOf(workflowId)).flatMap(
    (event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest ?? [],
  );
  return { workflowId, payloads: requests.at(-1)?.input?.args?.payloads ?? [] };
}

/** Redeems a gift twice at once, and lets the payment fail; both read the voucher before it was held. */
async function redeemedTwice(client: Client, gift: Gift): Promise<number[]> {
  const { database } = scene.stack;
  const { answers } = await database.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom('vouchers')
      .select('id')
      .where('id', '=', gift.id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const sent = [1, 2].map(() => redeemToEnd(client, gift));
    await untilBlocked(database);
    // Asked after them, and answered: so they have been read.
    await scene.asPartner.get('/info/get-current-balance');
    // In an object, so that the answers are not awaited while the lock is held.
    return { answers: sent };
  });
  await until(() => expect(scene.payoutsTo(payee)[0]?.status).toBe('pending'));
  await scene.settlePayout(payee, 'failed');
  return (await Promise.all(answers)).map(({ body }) => body.statusCode);
}

/** The refused resend of a gift, by the workflow that is found by its voucher. */
async function refusedResendOf(gift: Gift) {
  const { serial_number: serial } = await scene.stack.database
    .selectFrom('vouchers')
    .select('serial_number')
    .where('id', '=', gift.id)
    .executeTakeFirstOrThrow();
  const query = `WorkflowType = 'resendMessage' and VoucherSerial = '${serial}'`;
  const workflowId = await until(async () => {
    for await (const found of scene.stack.temporal.client.workflow.list({ query }))
      return found.workflowId;
    throw new Error('There is no such workflow yet');
  });
  const [first] = await eventsOf(workflowId);
  const input = first?.workflowExecutionStartedEventAttributes?.input;
  return { workflowId, payloads: input?.payloads ?? [] };
}

/** Neither another workflow nor the own one cancels a voucher by such data. */
async function expectNothingCancelled(source: { workflowId: string; payloads: Payload[] }) {
  expect(source.payloads).toHaveLength(1);
  const before = await scene.holdings();
  for (const workflowId of [randomUUID(), source.workflowId]) {
    await startCopy('cancelVoucher', workflowId, source.payloads);
    expect(await scene.holdings()).toEqual(before);
  }
}

it.each([
  ['a partner', 409, () => asTwin],
  ['a merchant whose id is that of the partner', 4092, () => asPayee],
] as [string, number, () => Client][])(
  'the refused redemption of %s cancels no voucher',
  async (_name, code, client) => {
    expect(payee.id).toBe(twin.id);
    const gift = await scene.gift({ owner: null, merchant: payee, partner: twin });
    expect(await redeemedTwice(client(), gift)).toContain(code);
    await scene.untilStatus(gift, 'ACTIVE');
    await expectNothingCancelled(await lastRedemptionOf(gift));
  },
);

it('a refused resend cancels no voucher', async () => {
  const gift = await scene.gift();
  await scene.claimed(scene.asMerchant, gift);
  const refused = await scene.asPartner.post(`/vouchers/${gift.id}/resend`, undefined);
  expect(refused.status).toBe(429);
  await expectNothingCancelled(await refusedResendOf(gift));
});
