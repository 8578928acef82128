import { type DatabaseTransaction, sendTogether, violates } from '../../src/db/connection.ts';
import { balanceConstraint, holdReserve } from '../../src/db/ledger/ledger.ts';
import { clearWrongCodes, countWrongCode } from '../../src/db/limits/attempts.ts';
import { answerRefusal, beginOperation, takeAbandonedAnswer } from '../../src/db/operations.ts';
import {
  attemptWithoutKey,
  holdVoucher,
  insertRedemption,
  type RedemptionContext,
  redemptionContext,
} from '../../src/db/vouchers/redemptions.ts';
import { type LockedVoucher, lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { formatMoney } from '../../src/domain/money.ts';
import {
  type AnsweredOperation,
  answered,
  type Refusal,
  refuse,
} from '../../src/domain/refusals.ts';
import type { SettledAmounts } from '../../src/domain/vouchers/claim.ts';
import { settleOrRefuse } from '../../src/domain/vouchers/redemption.ts';
import type { RedeemCommand, RedemptionMade } from '../../workflows/contracts.ts';
import { countOfEvent, raiseBudgetAlarm, withinNumberLimit } from '../budgets.ts';
import { DatabaseStepError, runChange, runStep } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { queueConfirmation } from './confirmations.ts';
import {
  describeHold,
  newRedemption,
  type PricedRedemption,
  payeeOf,
  payoutChoice,
  type RedemptionHeld,
  redemptionFacts,
  redemptionRequest,
  resumeHold,
} from './facts.ts';

const KIND = 'redeem-gift';

/** The context of a hold's steps. */
export interface RedemptionHold {
  readonly command: RedeemCommand;
  readonly dependencies: ActivityDependencies;
  /** The wrong code, once a code was compared. A rollback does not reset it. */
  wrongCode?: { readonly claimId: string; readonly budget: number };
}

/** Holds the money of a redemption in the given transaction, or answers the refusal. */
export async function holdPayment(
  transaction: DatabaseTransaction,
  hold: RedemptionHold,
): Promise<RedemptionHeld | AnsweredOperation<RedemptionMade>> {
  const { command, dependencies } = hold;
  const left = command.hasKey
    ? undefined
    : await takeAbandonedAnswer<RedemptionMade>(transaction, command);
  if (left) return answered(left);
  const begun = await beginOperation<RedemptionMade>(transaction, command, KIND);
  if (begun.kind === 'answered') return begun;
  if (begun.kind === 'resumed') return resumeHold(transaction, command.operationId);
  await dependencies.failpoint('redeem-begun');
  const voucher = await lockVoucher(transaction, command.voucherId);
  if (!voucher) return answerRefusal(transaction, command, refuse('voucher-not-found'));
  const context = await redemptionContext(transaction, voucher, {
    company: command.company,
    merchantId: payeeOf(command, voucher),
  });
  const { claim, blockedBy } = context;
  // The request of a payment that a restore lost ends its case.
  const own =
    blockedBy.length === 0
      ? undefined
      : await referenceFor(transaction, { command, voucher, context }, dependencies);
  const choice = await payoutChoice(command.operationId, context, dependencies);
  const settlement = settle(hold, voucher, context, {
    ...choice,
    isBlocked: blockedBy.some((reference) => reference !== own),
  });
  if (settlement.ok) {
    const unpaid = await choice.refuseAccount(transaction, settlement.toMerchant);
    if (unpaid) return answerRefusal(transaction, command, unpaid);
    const chosen = choice.choose(settlement.toMerchant);
    if (!chosen.ok) return answerRefusal(transaction, command, chosen);
    const { provider } = chosen;
    return recordHold(
      transaction,
      { command, voucher, context, settlement, provider },
      dependencies,
    );
  }
  if (settlement.reason === 'verification-code-incorrect' && claim) {
    const budget =
      context.wrongCodesPerDay ?? dependencies.settings.vouchers.codeAttemptsPerCompanyAndDay;
    hold.wrongCode = { claimId: claim.id, budget };
    await countFoundWrongCode(transaction, hold);
  }
  return answerRefusal(transaction, command, settlement);
}

/** Counts the wrong code of a hold, if there was one. */
export async function countFoundWrongCode(
  transaction: DatabaseTransaction,
  { command, wrongCode }: RedemptionHold,
): Promise<void> {
  if (!wrongCode) return;
  const { claimId, budget } = wrongCode;
  const { isLast } = await countWrongCode(transaction, { ...command, claimId }, budget);
  if (isLast) raiseBudgetAlarm(command.company, 'wrong verification codes', budget);
}

function settle(
  { command, dependencies }: RedemptionHold,
  voucher: LockedVoucher,
  context: RedemptionContext,
  choice: Awaited<ReturnType<typeof payoutChoice>> & { readonly isBlocked: boolean },
): SettledAmounts | Refusal {
  const { settings, numbers } = dependencies;
  const merchantId = payeeOf(command, voucher);
  return settleOrRefuse(
    redemptionFacts(voucher, context, {
      canPay: choice.canCarry,
      numbers,
      isBlocked: choice.isBlocked,
    }),
    redemptionRequest(command, merchantId),
    { ...settings.vouchers, ...settings.market },
  );
}

/** The redemption's row, the voucher's state, the transfer and the confirmation. */
async function recordHold(
  transaction: DatabaseTransaction,
  priced: PricedRedemption,
  dependencies: ActivityDependencies,
): Promise<RedemptionHeld> {
  const { settings, failpoint, numbers } = dependencies;
  const { command, voucher, context, settlement } = priced;
  const count = countOfEvent(dependencies, 'redemptions', numbers.openIfAny(voucher.owner_msisdn));
  const paymentReference = await referenceFor(transaction, priced, dependencies);
  const redemption = newRedemption(priced, paymentReference);
  const [recorded] = await sendTogether(transaction, (together) => [
    runStep('redemption-not-recorded', () =>
      withinNumberLimit(count, command.company, () =>
        insertRedemption(together, redemption, count),
      ),
    ),
    runChange('status-not-updated', () =>
      holdVoucher(together, voucher.id, formatMoney(settlement.taken)),
    ),
    runStep('reserve-not-updated', () => debitReserve(together, priced)),
  ]);
  const { id: redemptionId, provider } = recorded;
  if (context.wrongCodes.count > 0) await clearWrongCodes(transaction, voucher.id, command.company);
  const messageId = await runStep('message-not-queued', () =>
    queueConfirmation(transaction, { command, voucher, context, redemptionId, settings, numbers }),
  );
  await failpoint('redeem-held');
  return describeHold(redemption, {
    operationId: command.operationId,
    merchantName: context.merchantName ?? '',
    serialNumber: voucher.serial_number,
    messageId,
    provider,
    // A payment that a restore lost may have been sent: its provider is asked first.
    isResumed: recorded.isFoundAgain,
  });
}

/** Our reference of the payment, the same for a repeated request, also after a restore. */
async function referenceFor(
  transaction: DatabaseTransaction,
  { command, voucher, context }: Pick<PricedRedemption, 'command' | 'voucher' | 'context'>,
  { digests }: Pick<ActivityDependencies, 'digests'>,
): Promise<string> {
  const { operationId, attempt } = command.hasKey
    ? { operationId: command.operationId, attempt: 1 }
    : await attemptWithoutKey(transaction, voucher.id, context.claim?.id ?? null);
  return digests.paymentReference(operationId, attempt);
}

/** Debits the reserve of the vouchers; a missing reserve is a separate fault (4095). */
async function debitReserve(
  transaction: DatabaseTransaction,
  { command, voucher, settlement }: PricedRedemption,
): Promise<void> {
  try {
    await holdReserve(transaction, {
      operationId: command.operationId,
      partnerId: voucher.partner_id,
      amount: settlement.taken,
    });
  } catch (error) {
    if (violates(error, balanceConstraint))
      throw new DatabaseStepError('reserve-not-debited', error);
    throw error;
  }
}
