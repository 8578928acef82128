import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GENERATE, type Gift, REDEEM } from '../end-to-end/gift/gift-scene.js';
import { type RedemptionScene, setRedemptionScene } from '../end-to-end/gift/redemption-scene.js';
import { idOf, sale } from '../end-to-end/topups/topup-scene.js';
import { call } from '../support/clients.js';
import { deposit } from '../support/companies.js';
import { makeTopupProducts } from '../support/topups.js';
import { until } from '../support/until.js';
import { detailsOf } from './details-of.js';

/**
 * What support staff read in the tab *User Metadata* in ten states: each says what the state is, what
 * money has moved, what the provider said last, and what to do next; numbers are masked.
 */
const states = {
  'claim waiting': [
    /^\*\*Claimed\*\*: ETB 100\.00 of voucher \d+ at .+, owner \+2519\*+050\./,
    /The code was sent to the owner\..* expires at .+ UTC\. Wrong codes so far: 0\./,
    /No money has moved\. Where the owner has no code, .* send it again/,
  ],
  'claim expired': [
    /^\*\*Expired\*\*: the claim of ETB 100\.00 of voucher \d+\./,
    /Nothing was paid\. The owner needs a new claim to redeem\./,
  ],
  redeemed: [
    /^\*\*Paid\*\*: ETB 97\.50 to .+; voucher \d+, fee ETB 2\.50, RDM-/,
    /Provider's reference .+, paid to msisdn \+2519\*+000\./,
    /The money has left the voucher\. No action is needed; .* reverse the redemption\./,
  ],
  'payment refused': [
    /^\*\*Not paid\*\*: ETB 97\.50 to /,
    /The provider's last message: The payment was declined\. No money has moved: the value is back/,
    /the owner needs a new one\. .* set payout-account/,
  ],
  'payment unknown': [
    /^\*\*Payment unknown\*\*: ETB 97\.50 to .+, payment reference /,
    /The provider's last message: .+ The money stays on hold, and the service asks/,
    /Do not pay it by hand.* send the signal `providerHint`\./,
  ],
  'top-up failed': [
    /^\*\*Failed\*\*: top-up \d+, Airtime, ETB 50\.00 to \+2519\*+002, attempt 1, our reference /,
    /The provider's last message: .+ The money is back in the partner's wallet\./,
    /To retry: \*More Actions\*, \*Send a Signal\*, `retry`, .* The workflow waits until .+ UTC/,
  ],
  'top-up retried': [
    /\*\*(Sending|Outcome unknown)\*\*: top-up \d+, .* attempt 2, our reference .+-2/,
    /(The last attempt failed\. The provider's message: .+|The provider's last message: .+)/,
    /money (is|stays) on hold/,
  ],
  'top-up delivered': [
    /^\*\*Delivered\*\*: top-up \d+, .* attempt 1, .* Provider's reference .+\./,
    /The money has left the partner's wallet\. No action is needed\./,
  ],
  'late success': [
    /^\*\*Done after it was refused\*\*: top-up \d+, attempt 1, ETB 50\.00, our reference .+partner \d+/,
    /nobody was charged; the amount is in the account \*suspense\*\./,
    /Agree with the partner .* settle late-success .+ Do not retry it\./,
  ],
  'reconciliation red': [
    /^\*\*Cases were opened\.\*\* Each case has a workflow, found by `NeedsAction = true`/,
    /its page says what to do\. This run needs no action\./,
    /- Done after it was refused: top-up \d+, attempt 1/,
  ],
} as const;

let scene: RedemptionScene;
const found: Partial<Record<keyof typeof states, string>> = {};

beforeAll(async () => {
  scene = await setRedemptionScene({ CLAIM_LIFETIME_SECONDS: '20', CALLER_WAIT_SECONDS: '3' });
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '1000', 'airtime');
  await showGifts();
  await showTopUps();
}, 300_000);
afterAll(() => scene?.stop());

const workflow = (id: string) => scene.stack.temporal.client.workflow.getHandle(id);

async function claimOf({ id }: Gift): Promise<string> {
  const row = await scene.stack.database
    .selectFrom('voucher_claims')
    .select('workflow_id')
    .where('voucher_id', '=', id)
    .executeTakeFirstOrThrow();
  return row.workflow_id ?? '';
}

/** Waits until the page of a workflow says what it must, or keeps what it says instead. */
async function show(state: keyof typeof states, workflowId: string): Promise<void> {
  await until(async () => {
    found[state] = await detailsOf(workflow(workflowId));
    const [first] = states[state];
    expect(found[state]).toMatch(first);
  });
}

async function showGifts(): Promise<void> {
  const { asMerchant } = scene;
  const expiring = await scene.gift();
  await scene.claimed(asMerchant, expiring);
  await show('claim waiting', await claimOf(expiring));
  const redeemed = await scene.gift();
  await scene.redeemed(asMerchant, redeemed);
  await show('redeemed', await claimOf(redeemed));
  for (const [state, payoutSuffix] of [
    ['payment refused', '006'],
    ['payment unknown', '014'],
  ] as const) {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    await client.post(REDEEM, { voucherCode: gift.voucherCode, verificationCode });
    await show(state, await claimOf(gift));
  }
  await workflow(await claimOf(expiring)).result();
  await show('claim expired', await claimOf(expiring));
}

async function showTopUps(): Promise<void> {
  const { stack, asPartner } = scene;
  const topUp = async (msisdn: string) =>
    idOf(
      await asPartner.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale }),
    );
  const attemptOf = (id: number) =>
    stack.database
      .selectFrom('topups')
      .innerJoin('topup_attempts', 'topup_id', 'id')
      .select(['workflow_id', 'reference'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const idOfWorkflow = async (id: number) => (await attemptOf(id)).workflow_id ?? '';
  await show('top-up delivered', await idOfWorkflow(await topUp('+251910000000')));
  const [retried, late] = [await topUp('+251910000002'), await topUp('+251910001002')];
  await show('top-up failed', await idOfWorkflow(retried));
  await asPartner.post('/topup-transactions/retry-topup', {
    transactionId: retried,
    msisdn: '+251910000014',
  });
  await show('top-up retried', await idOfWorkflow(retried));
  const { reference } = await attemptOf(late);
  await call(`${stack.sandbox.url}/books/topups/${reference}`, { body: { status: 'completed' } });
  await sql`update topup_attempts set recheck_at = now() where reference = ${reference}`.execute(
    stack.database,
  );
  const taskQueue = stack.config.TEMPORAL_TASK_QUEUE;
  const workflowId = `reconcile-${randomUUID()}`;
  await stack.temporal.client.workflow.start('reconcile', { workflowId, taskQueue });
  await workflow(workflowId)
    .result()
    .catch(() => undefined);
  await show('reconciliation red', workflowId);
  await show('late success', `case:late-success:${reference}`);
  for (const { reference } of stack.sandbox.books
    .topups()
    .filter((one) => one.status === 'pending'))
    await call(`${stack.sandbox.url}/books/topups/${reference}`, { body: { status: 'completed' } });
}

it.each(Object.keys(states) as (keyof typeof states)[])('%s', (state) => {
  for (const words of states[state]) expect(found[state]).toMatch(words);
  // Nobody's number is there as it is.
  expect(found[state]).not.toMatch(/(?<!\d)(\+?251|0)[79]\d{8}(?!\d)/);
});

it('a request that one step decides says what it did, or why it was refused', async () => {
  const { stack, asPartner, partner } = scene;
  const generate = (denomination: 100 | 'unpriced') =>
    asPartner.post(GENERATE, {
      denominationId: partner.denominations[denomination],
      merchantId: scene.merchant.id,
      msisdn: null,
      isRestricted: true,
    });
  const { voucher } = (await generate(100)).body.data;
  await generate('unpriced');
  await asPartner.post(`/vouchers/${voucher.id}/cancel`, undefined);
  const pages = async (type: string) => {
    const query = `WorkflowType = "${type}" and TaskQueue = "${stack.config.TEMPORAL_TASK_QUEUE}"`;
    const all: string[] = [];
    for await (const { workflowId } of stack.temporal.client.workflow.list({ query }))
      all.push(await detailsOf(workflow(workflowId)));
    return all.join('\n');
  };
  await until(async () => {
    const generated = await pages('generateVoucher');
    expect(generated).toContain(`**Generated**: voucher ${voucher.id} of`);
    expect(generated).toMatch(/\*\*Refused\*\*: a voucher of partner .+ no money has moved\./s);
    expect(await pages('cancelVoucher')).toMatch(
      /\*\*Cancelled\*\*: voucher .+ ETB 100\.00 went back/,
    );
  });
});
