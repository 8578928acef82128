import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { BareActivities } from '../baselines/bare-worker.ts';

/** Answers when the message with the code was sent. */
export const bareClaimed = defineUpdate('bareClaimed');
/** Pays, and answers when the payment was made. */
export const bareRedeem = defineUpdate('bareRedeem');

const CLAIM_LIFETIME = '5m';

const { sendBareMessage, payBare } = proxyActivities<BareActivities>({
  startToCloseTimeout: '10s',
});

/**
 * The least that a claim and its redemption can be: the same messages and the same payment at the
 * same providers, with no database and no checks. The baseline of P9.
 */
export async function bareLife(owner: string, payee: string): Promise<void> {
  let isClaimed = false;
  let isPaid = false;
  setHandler(bareClaimed, () => condition(() => isClaimed));
  setHandler(bareRedeem, async () => {
    await payBare(payee);
    isPaid = true;
  });
  await sendBareMessage(owner, '123456 is your code');
  isClaimed = true;
  await condition(() => isPaid, CLAIM_LIFETIME);
  await condition(allHandlersFinished);
  await sendBareMessage(owner, 'Your voucher was redeemed');
}
