import { claimMessage, eraseClaimCode } from '../src/db/vouchers/claims.js';
import {
  giveUpConfirmation as giveUp,
  messageStatus,
  recordMessage,
  takeMessage,
} from '../src/db/vouchers/messages.js';
import { redemptionMessage } from '../src/db/vouchers/redemptions.js';
import { formatAmount, parseMoney } from '../src/domain/money.js';
import type { ProviderOutcome } from '../src/providers/outcome.js';
import type { ActivityDependencies } from './dependencies.js';
import {
  cutOff,
  type MessageOutcome,
  publicOutcome,
  recordedOutcome,
  recordOf,
} from './message-outcome.js';
import { withHeartbeat } from './provider-call.js';

export function createMessageActivities(dependencies: ActivityDependencies) {
  const { database, secretBox, smsSender, failpoint } = dependencies;

  /**
   * Sends one queued message at most once: SMS providers have no idempotency key, so a message
   * whose sending was interrupted is never sent again. `not-sent` returns it to the queue.
   */
  async function sendMessage(messageId: number): Promise<MessageOutcome> {
    const message = await takeMessage(database, messageId);
    if (!message) return outcomeOfEarlierTry(messageId);
    const isCode = message.claim_id !== null;
    await failpoint(isCode ? 'claim-sending' : 'redeem-confirming');
    const text =
      message.claim_id === null
        ? await confirmationText(message.redemption_id)
        : await verificationText(message.claim_id);
    const outcome: ProviderOutcome = text
      ? await withHeartbeat(() => smsSender.send({ to: message.msisdn, text }))
      : { kind: 'refused', code: 'ended', message: 'the claim has ended', retryCanHelp: false };
    await failpoint(isCode ? 'claim-sent' : 'redeem-confirmed');
    await record(messageId, message.claim_id, outcome);
    if (isCode) await failpoint('claim-sent-recorded');
    return publicOutcome(outcome);
  }

  /** The outcome of an interrupted attempt is recorded as unknown. */
  async function outcomeOfEarlierTry(messageId: number): Promise<MessageOutcome> {
    const earlier = await messageStatus(database, messageId);
    if (earlier.status === 'SENDING') {
      await record(messageId, earlier.claim_id, cutOff);
    }
    return recordedOutcome(earlier);
  }

  async function verificationText(claimId: string): Promise<string | undefined> {
    const claim = await claimMessage(database, claimId);
    if (claim.code_ciphertext === null) return undefined;
    const code = secretBox.open(claim.code_ciphertext, `claim ${claimId}`);
    const amount = formatAmount(parseMoney(claim.amount ?? claim.remaining));
    const place = claim.merchant_name ? ` at ${claim.merchant_name}` : '';
    const minutes = Math.max(1, Math.round(claim.lifetime_seconds / 60));
    return (
      `${code} is your code to redeem ETB ${amount} of your gift voucher${place}. ` +
      `It is valid for ${minutes} min. Give it only to the cashier you are paying.`
    );
  }

  async function confirmationText(redemptionId: number | null): Promise<string | undefined> {
    if (redemptionId === null) return undefined;
    const redemption = await redemptionMessage(database, redemptionId);
    const [paid, fee] = [parseMoney(redemption.to_merchant), parseMoney(redemption.service_fee)];
    const remaining = formatAmount(parseMoney(redemption.remaining));
    return (
      `ETB ${formatAmount(paid + fee)} of your gift voucher was used: ETB ${formatAmount(paid)} ` +
      `paid to ${redemption.merchant_name}, ETB ${formatAmount(fee)} service fee. ` +
      `Remaining: ETB ${remaining}. Reference ${redemption.platform_reference}.`
    );
  }

  /** Records the outcome, and erases the code of a claim once no sending needs it. */
  const record = (messageId: number, claimId: string | null, outcome: ProviderOutcome) =>
    database.transaction().execute(async (transaction) => {
      await recordMessage(transaction, messageId, recordOf(outcome));
      if (claimId === null || outcome.kind === 'not-sent') return;
      await eraseClaimCode(transaction, claimId);
    });

  /** Cancels an unsent confirmation: the money has moved regardless. */
  const giveUpConfirmation = (messageId: number): Promise<void> => giveUp(database, messageId);

  return { sendMessage, giveUpConfirmation };
}
