import type {
  CodeFacts,
  ConfirmationFacts,
  TakenMessage,
} from '../../src/db/vouchers/message-sendings.ts';
import { voucherToRemindOf } from '../../src/db/vouchers/reminders.ts';
import { reversalMessage } from '../../src/db/vouchers/reversals.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import { type MessageTexts, ownerMessages } from '../../src/domain/vouchers/owner-messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * The text of a message, made when it is sent, in the language of the time when it was written;
 * undefined where it has become pointless.
 */
export function createMessageTexts({
  database,
  secretBox,
  limits,
  messageTexts = ownerMessages,
}: ActivityDependencies) {
  async function textOf(messageId: number, message: TakenMessage): Promise<string | undefined> {
    const texts = messageTexts[message.language];
    if (message.claim_id !== null) return codeText(texts, message.claim_id, message.code);
    if (message.confirmation) return confirmationText(texts, message.confirmation);
    if (message.reversal_id !== null) return reversalText(texts, message.reversal_id);
    return reminderText(texts, messageId);
  }

  async function reminderText(texts: MessageTexts, messageId: number): Promise<string | undefined> {
    const voucher = await voucherToRemindOf(database, messageId);
    return (
      voucher &&
      texts.reminder({
        remaining: amountOf(voucher.remaining),
        merchant: voucher.is_restricted ? voucher.merchant_name : null,
        expiresAt: voucher.expires_at,
        timeZone: limits.reminders.zone,
      })
    );
  }

  function codeText(
    texts: MessageTexts,
    claimId: string,
    facts: CodeFacts | null,
  ): string | undefined {
    if (!facts || facts.codeCiphertext === null) return undefined;
    return texts.code({
      code: secretBox.open(facts.codeCiphertext, `claim ${claimId}`),
      amount: amountOf(facts.amount),
      merchant: facts.merchantName,
      minutes: Math.max(1, Math.round(facts.secondsLeft / 60)),
    });
  }

  async function reversalText(texts: MessageTexts, reversalId: number): Promise<string> {
    const reversed = await reversalMessage(database, reversalId);
    return texts.reversal({
      amount: amountOf(reversed.to_merchant, reversed.service_fee),
      merchant: reversed.merchant_name,
      remaining: amountOf(reversed.remaining),
      reference: reversed.platform_reference,
    });
  }

  return textOf;
}

const confirmationText = (texts: MessageTexts, facts: ConfirmationFacts): string =>
  texts.confirmation({
    taken: amountOf(facts.toMerchant, facts.serviceFee),
    paid: amountOf(facts.toMerchant),
    fee: amountOf(facts.serviceFee),
    merchant: facts.merchantName,
    remaining: amountOf(facts.remaining),
    reference: facts.platformReference,
  });

/** The sum of decimal strings, with two decimals. */
const amountOf = (...amounts: readonly string[]): string =>
  formatAmount(amounts.reduce((sum, amount) => sum + parseMoney(amount), 0n));
