import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { countCompanyMessage } from '../../src/db/limits/daily-limits.ts';
import { confirmationsToday, lockNumber, queueMessage } from '../../src/db/messages/messages.ts';
import type { RedemptionContext } from '../../src/db/vouchers/redemptions.ts';
import type { LockedVoucher } from '../../src/db/vouchers/vouchers.ts';
import type { RedeemCommand } from '../../workflows/contracts.ts';
import { raiseBudgetAlarm } from '../budgets.ts';
import type { ActivityDependencies } from '../dependencies.ts';

interface Confirmed {
  readonly command: RedeemCommand;
  readonly voucher: LockedVoucher;
  readonly context: RedemptionContext;
  readonly redemptionId: number;
  readonly settings: ActivityDependencies['settings'];
  readonly numbers: ActivityDependencies['numbers'];
}

/**
 * Queues the confirmation of a redemption: to the voucher's owner, or to the number of the request.
 * Beyond a daily limit the redemption continues without it. Returns the message's id, or null where
 * none is sent.
 */
export async function queueConfirmation(
  transaction: DatabaseTransaction,
  confirmed: Confirmed,
): Promise<number | null> {
  const { command, voucher, redemptionId } = confirmed;
  const given = command.msisdn;
  const msisdn = voucher.owner_msisdn ?? confirmed.numbers.storeIfAny(given);
  if (msisdn === null) return null;
  const leftOut =
    voucher.owner_msisdn === null && given !== null
      ? await leaveOut(transaction, given, confirmed)
      : undefined;
  const messageId = await queueMessage(transaction, {
    kind: 'REDEMPTION_CONFIRMATION',
    msisdn,
    voucher_id: voucher.id,
    redemption_id: redemptionId,
    ...(leftOut === undefined ? {} : { leftOut }),
  });
  return leftOut === undefined ? messageId : null;
}

/** Why a number chosen by the caller gets no message; undefined where it gets one. */
async function leaveOut(
  transaction: DatabaseTransaction,
  msisdn: string,
  { command: { company }, context, settings, numbers }: Confirmed,
): Promise<string | undefined> {
  await lockNumber(transaction, numbers.store(msisdn));
  if (
    (await confirmationsToday(transaction, numbers.hashOf(msisdn))) >=
    settings.vouchers.messagesPerNumberAndDay
  )
    return 'Left out: the number has had its messages of the day';
  const budget = context.messagesPerDay ?? settings.vouchers.messagesPerCompanyAndDay;
  const { isWithin, isLast } = await countCompanyMessage(transaction, company, budget);
  if (isLast) raiseBudgetAlarm(company, 'messages', budget);
  return isWithin ? undefined : 'Left out: the company has sent its messages of the day';
}
