import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { Environment } from '../../src/config/config.ts';
import { type Gift, REDEEM } from '../end-to-end/gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../end-to-end/gift/redemption-scene.ts';
import { idOf, sale } from '../end-to-end/topups/topup-scene.ts';
import { caseWorkflow } from '../positions/cases.ts';
import { askNow } from '../positions/placements.ts';
import { call } from '../support/clients.ts';
import { deposit } from '../support/companies.ts';
import { makeTopupProducts } from '../support/topups.ts';
import { until } from '../support/until.ts';
import { detailsOf } from './details-of.ts';

/**
 * What support staff read in the tab *User Metadata* in ten states: each says what the state is, what
 * money has moved, what the provider said last, and what to do next; numbers are masked.
 */
export const tenStates = {
  'claim waiting': [
    /^\*\*Claimed\*\*: ETB 100\.00 of voucher \d+ at .+, owner \+2519\*+050\./,
    /The code was sent to the owner by africas-talking\..* expires at .+ UTC\. Wrong codes so far: 0\./,
    /No money has moved\. Where the owner has no code, .* send it again/,
  ],
  'claim expired': [
    /^\*\*Expired\*\*: the claim of ETB 100\.00 of voucher \d+ at .+, owner \+2519\*+050\./,
    /The code was sent to the owner by africas-talking\./,
    /Nothing was paid, and the value is on the voucher\. The merchant claims again/,
  ],
  redeemed: [
    /^\*\*Paid\*\*: ETB 97\.50 to .+, payment reference \S+ at gsma; voucher \d+, fee ETB 2\.50, RDM-\w+, owner \+2519\*+050\./,
    /Provider's reference .+, paid to msisdn \+2519\*+000 by gsma\./,
    /The money has left the voucher\. No action is needed; .* reverse the redemption\./,
  ],
  'payment refused': [
    /^\*\*Not paid\*\*: ETB 97\.50 to .+, payment reference \S+ at gsma;/,
    /The provider's last message: The payment was declined\. No money has moved \(to msisdn \+2519\*+006\)/,
    /the value is back on the voucher\.\n\nWhere .* merchant payout-account set --help`\. Then the merchant claims again/,
  ],
  'payment unknown': [
    /^\*\*Payment unknown\*\*: ETB 97\.50 to .+, payment reference \S+ at gsma;/,
    /The provider's last message: .+ The money stays on hold \(to msisdn \+2519\*+014\), and the service asks/,
    /Do not pay it by hand.* send the signal `providerNudge`\./,
    /After a day, .* \*Settle the payment\* at `\/support`/,
  ],
  'top-up failed': [
    /^\*\*Failed\*\*: top-up \d+, Airtime, ETB 50\.00 to \+2519\*+002, attempt 1, our reference \S+ at dt-one\./,
    /The provider's last message: .+ The money is back in the partner's wallet\./,
    /To retry: \*More Actions\*, \*Send a Signal\*, `retry`, .* \*Retry the top-up\* at `\/support`, .+ UTC/,
  ],
  'top-up retried': [
    /\*\*(Sending|Outcome unknown)\*\*: top-up \d+, .* attempt 2, our reference .+-2 at dt-one\./,
    /(The last attempt failed\. The provider's message: .+|The provider's last message: .+)/,
    /money (is|stays) on hold/,
  ],
  'top-up delivered': [
    /^\*\*Delivered\*\*: top-up \d+, .* attempt 1, .* at dt-one\. Provider's reference .+\./,
    /The money has left the partner's wallet\. No action is needed\./,
  ],
  'open case': [
    /^\*\*A provider did an order after all, ETB 50\.00, .+, since .+, case \d+\*\*/,
    /Agree who bears the amount, then settle the case/,
    /At \/support, or with `npm run admin -- cases show \d+` and `cases settle`\./,
  ],
  'reconciliation red': [
    /^\*\*Cases were opened\.\*\* Each case has a workflow, found by `NeedsAction = true`/,
    /its page says what to do\. This run needs no action\./,
    /- A provider did an order after all, ETB 50\.00/,
  ],
} as const;

export type State = keyof typeof tenStates;

/** Called when the page of a workflow says what it must in a state, while it still does. */
export type Look = (state: State, handle: WorkflowHandle, details: string) => void | Promise<void>;

/** A stack whose partner has money for vouchers and airtime. */
export async function setTenStatesScene(settings: Environment = {}): Promise<RedemptionScene> {
  const scene = await setRedemptionScene({
    CLAIM_LIFETIME_SECONDS: '20',
    CALLER_WAIT_SECONDS: '3',
    ...settings,
  });
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '1000', 'airtime');
  return scene;
}

/** Makes each of the ten states. */
export async function makeTenStates(scene: RedemptionScene, look: Look): Promise<void> {
  const show = createShow(scene, look);
  await makeGifts(scene, show);
  await makeTopups(scene, show);
}

type Show = (state: State, workflowId: string) => Promise<void>;

const createShow =
  ({ stack }: RedemptionScene, look: Look): Show =>
  async (state, workflowId) => {
    const handle = stack.temporal.client.workflow.getHandle(workflowId);
    const details = await until(async () => {
      const found = await detailsOf(handle);
      expect(found).toMatch(tenStates[state][0]);
      return found;
    });
    await look(state, handle, details);
  };

async function claimOf({ stack }: RedemptionScene, { id }: Gift): Promise<string> {
  const row = await stack.database
    .selectFrom('voucher_claims')
    .select('workflow_id')
    .where('voucher_id', '=', id)
    .executeTakeFirstOrThrow();
  return row.workflow_id ?? '';
}

async function makeGifts(scene: RedemptionScene, show: Show): Promise<void> {
  const { asMerchant, stack } = scene;
  const expiring = await scene.gift();
  await scene.claimed(asMerchant, expiring);
  await show('claim waiting', await claimOf(scene, expiring));
  const redeemed = await scene.gift();
  await scene.redeemed(asMerchant, redeemed);
  await show('redeemed', await claimOf(scene, redeemed));
  for (const [state, payoutSuffix] of [
    ['payment refused', '006'],
    ['payment unknown', '014'],
  ] as const) {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    await client.post(REDEEM, { voucherCode: gift.voucherCode, verificationCode });
    await show(state, await claimOf(scene, gift));
  }
  const claim = await claimOf(scene, expiring);
  await stack.temporal.client.workflow.getHandle(claim).result();
  await show('claim expired', claim);
}

async function makeTopups({ stack, asPartner }: RedemptionScene, show: Show): Promise<void> {
  const topup = async (msisdn: string) =>
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
  await show('top-up delivered', await idOfWorkflow(await topup('+251910000000')));
  const [retried, late] = [await topup('+251910000002'), await topup('+251910001002')];
  await show('top-up failed', await idOfWorkflow(retried));
  await asPartner.post('/topup-transactions/retry-topup', {
    transactionId: retried,
    msisdn: '+251910000014',
  });
  await show('top-up retried', await idOfWorkflow(retried));
  const { reference } = await attemptOf(late);
  const book = (of: string) =>
    call(`${stack.sandbox.url}/books/topups/${of}`, { body: { status: 'completed' } });
  await book(reference);
  await askNow(stack.database, reference);
  const taskQueue = stack.config.temporal.temporalTaskQueue;
  const workflowId = `reconcile-${randomUUID()}`;
  const run = await stack.temporal.client.workflow.start('reconcile', { workflowId, taskQueue });
  await run.result().catch(() => undefined);
  await show('reconciliation red', workflowId);
  const { workflowId: ofCase } = await caseWorkflow(stack, reference);
  await show('open case', ofCase);
  const pending = stack.sandbox.books.topups().filter(({ status }) => status === 'pending');
  for (const one of pending) await book(one.reference);
}
