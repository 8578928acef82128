import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expireOverdueClaims } from '../../../src/db/vouchers/claims.ts';
import type { FailpointName } from '../../../src/runtime/process/failpoint.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { startWorker } from '../../../src/worker.ts';
import { redeemVoucherWithoutClaimId } from '../../../workflows/workflow-ids.ts';
import { newestCode, refusalData } from '../../support/clients.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { CLAIM, type Client, done, type Gift, REDEEM } from './gift-scene.ts';
import { type RedemptionScene, redeemToEnd, setRedemptionScene } from './redemption-scene.ts';

/** What happens once, when a step is reached; the step fails after it. */
const onceAt = new Map<FailpointName, () => Promise<void>>();

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene(
    { CALLER_WAIT_SECONDS: '2' },
    {
      async failpoint(step) {
        const happen = onceAt.get(step);
        if (!happen) return;
        onceAt.delete(step);
        await happen();
        throw new Error('The answer to the commit was lost');
      },
    },
  );
});
afterAll(() => scene?.stop());

/** A request under a key, as often as it is called. */
const requests: Record<string, () => Promise<{ send: () => ReturnType<Client['post']> }>> = {
  async 'redeem-hold-committed'() {
    const { voucherCode } = await scene.gift({ owner: null });
    return keyed(scene.asMerchant, REDEEM, { voucherCode, amount: 40 });
  },
  async 'claim-committed'() {
    const { voucherCode } = await scene.gift();
    return keyed(scene.asMerchant, CLAIM, { voucherCode });
  },
};

/** What there is after each of them, in this order. */
const effects: Record<string, object> = {
  'redeem-hold-committed': { redemptions: 1, claims: 0 },
  'claim-committed': { redemptions: 1, claims: 1 },
};

function keyed(client: Client, path: string, body: object) {
  const idempotencyKey = randomUUID();
  return { send: () => client.post(path, { ...body, idempotencyKey }) };
}

it.each(Object.keys(requests))(
  '%s: what is committed is not refused when its repetition is',
  async (step) => {
    const { send } = (await requests[step]?.()) ?? expect.unreachable();
    let mend = async () => {};
    onceAt.set(step as FailpointName, async () => {
      mend = await breakStatement(scene.stack.database, { table: 'operations', on: 'insert' });
    });
    const first = send();
    await until(() => expect(onceAt.size).toBe(0));
    // The repetition comes after a tenth of a second.
    await sleep(1_000);
    await mend();
    const answer = await first;
    expect([200, 409]).toContain(answer.status);
    await until(async () => done(await send()));
    const { rows } = await sql`
      select (select count(*) from redemptions) as redemptions,
        (select count(*) from voucher_claims) as claims`.execute(scene.stack.database);
    expect(rows).toEqual([effects[step]]);
  },
);

/** Lets the claim of a voucher run out. */
const expireClaim = ({ id }: Gift) =>
  scene.stack.database.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('voucher_claims')
      .set({ expires_at: sql<Date>`now() - interval '1 hour'` })
      .where('voucher_id', '=', id)
      .execute();
    await expireOverdueClaims(transaction, 1);
  });

/** What happens to a claim after its confirmation, before its step is repeated; the title of its page then. */
const confirmed: Record<string, (gift: Gift) => Promise<unknown>> = {
  async Claimed() {},
  Superseded: (gift) => scene.claimed(scene.asMerchant, gift),
  Withdrawn: async ({ id }) => done(await scene.asPartner.post(`/vouchers/${id}/cancel`, {})),
  Expired: expireClaim,
};

it.each(Object.entries(confirmed))(
  '%s: so the page of a claim stands whose confirmation is repeated',
  async (title, happen) => {
    const gift = await scene.gift();
    onceAt.set('claim-confirmed', async () => void (await happen(gift)));
    const { send } = keyed(scene.asMerchant, CLAIM, { voucherCode: gift.voucherCode });
    await until(async () => done(await send()));
    const { workflow_id } = await scene.stack.database
      .selectFrom('voucher_claims')
      .select('workflow_id')
      .where('voucher_id', '=', gift.id)
      .orderBy('created_at')
      .executeTakeFirstOrThrow();
    const workflow = scene.stack.temporal.client.workflow.getHandle(workflow_id);
    await until(async () => expect(await detailsOf(workflow)).toContain(`**${title}**`));
  },
);

it('a claim that ended before its answer is made again, also under a key of an earlier claim', async () => {
  const gift = await scene.gift();
  const { database } = scene.stack;
  const { send } = keyed(scene.asMerchant, CLAIM, { voucherCode: gift.voucherCode, amount: 40 });
  done(await send());
  const verificationCode = await newestCode(scene.stack, gift.owner ?? '');
  done(await redeemToEnd(scene.asMerchant, gift, { verificationCode }));
  // As the retention does, after which the key is free again.
  await database.deleteFrom('operations').where('kind', '=', 'initiate-claim').execute();
  onceAt.set('claim-committed', async () => void (await expireClaim(gift)));
  await until(async () => done(await send()));
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
});

it('who has no key and cannot be remembered is told to look at the voucher, not to repeat', async () => {
  const { merchant } = await scene.payee('partner', { payoutSuffix: '014' });
  const gift = await scene.gift({ owner: null, isRestricted: false });
  const { voucherCode } = gift;
  const body = { voucherCode, amount: 40, merchantId: merchant.id };
  const mend = await breakStatement(scene.stack.database, { table: 'left_requests', on: 'insert' });
  const answer = await scene.asPartner.post(REDEEM, body);
  await mend();
  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject({
    success: false,
    statusCode: 409,
    data: refusalData('partner', 'redemption-unknown'),
  });
  expect(answer.body.message).toContain('check the voucher first');
  await scene.settlePayout(merchant, 'completed');
  await until(async () => expect(await scene.voucher(gift)).toMatchObject({ held: '0.000000' }));
  expect(scene.amountsPaidTo(merchant)).toEqual(['40.00 completed']);
});

it('a redemption without a key that its caller left before it began is made by the repetition', async () => {
  const { stack } = scene;
  const { merchant } = await scene.payee('partner');
  const { voucherCode } = await scene.gift({ owner: null, isRestricted: false });
  const send = () =>
    scene.asPartner.post(REDEEM, { voucherCode, amount: 40, merchantId: merchant.id });
  await stack.worker.stop();
  const first = await send();
  expect([first.status, first.body.message]).toEqual([
    409,
    'Still processing: repeat the same request to get the result',
  ]);
  const worker = await startWorker(stack.config, stack.temporal, {
    logger: createLogger('silent', 'test'),
  });
  try {
    const { operation_id } = await stack.database
      .selectFrom('vouchers')
      .select('operation_id')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    const workflowId = redeemVoucherWithoutClaimId(operation_id);
    await stack.temporal.client.workflow.getHandle(workflowId).result();
    done(await send());
    expect(scene.amountsPaidTo(merchant)).toEqual(['40.00 completed']);
  } finally {
    await worker.stop();
  }
});
