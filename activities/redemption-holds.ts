import { type DatabaseTransaction, violates } from '../src/db/connection.js';
import { addTransfers, balanceConstraint, type Transfer } from '../src/db/ledger/ledger.js';
import { clearWrongCodes, countWrongCode } from '../src/db/limits/verification-attempts.js';
import { takeAbandonedAnswer } from '../src/db/operations/abandoned-requests.js';
import { beginOperation, outcomeFor, refuseOperation } from '../src/db/operations/operations.js';
import { findMessage } from '../src/db/vouchers/messages.js';
import {
  type RedemptionContext,
  redemptionContext,
} from '../src/db/vouchers/redemption-context.js';
import {
  attemptWithoutKey,
  holdVoucher,
  insertRedemption,
  lockRedemption,
  type NewRedemption,
} from '../src/db/vouchers/redemptions.js';
import { type LockedVoucher, lockVoucher } from '../src/db/vouchers/vouchers.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { formatAmount, formatMoney, type Money, parseMoney } from '../src/domain/money.js';
import { maskMsisdn } from '../src/domain/phone.js';
import { type Settlement, settleOrRefuse } from '../src/domain/redemption.js';
import type { OperationOutcome, RedeemCommand, RedemptionMade } from '../workflows/messages.js';
import { raiseBudgetAlarm } from './budget-alarm.js';
import { queueConfirmation } from './confirmations.js';
import { DatabaseStepError, refusalOf, runStep } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';
import { newRedemption, payeeOf, redemptionFacts } from './redemption-facts.js';

const KIND = 'redeem-gift';

/** A redemption whose money is on hold, and how it reads to support staff. */
export interface RedemptionHeld {
  readonly kind: 'held';
  /** Compared by the workflow: what is on hold must be its own. */
  readonly operationId: string;
  /** An earlier run held it, and may have sent it. */
  readonly isResumed: boolean;
  readonly messageId: number | null;
  readonly platformReference: string;
  /** What the provider knows the payment by. */
  readonly paymentReference: string;
  readonly merchantName: string;
  /** Masked. Histories from before lack it. */
  readonly payoutAccount?: string;
  readonly serialNumber: string;
  /** Decimal strings with two digits, for people. */
  readonly toMerchant: string;
  readonly serviceFee: string;
}

export interface RedemptionAnswered {
  readonly kind: 'answered';
  readonly outcome: OperationOutcome<RedemptionMade>;
}

export function createHoldActivities(dependencies: ActivityDependencies) {
  const { database, digests, limits, mobileMoney, failpoint } = dependencies;

  /**
   * The first phase of a redemption: reserved → gift-hold, the redemption's row and its
   * confirmation message, in one transaction. A wrong code is counted in the same transaction as
   * the refusal. Repeated with the same operation it changes nothing.
   */
  async function holdRedemption(
    command: RedeemCommand,
  ): Promise<RedemptionHeld | RedemptionAnswered> {
    /** Set once the code was compared and found wrong. */
    let guess: { readonly claimId: string | null; readonly budget: number } | undefined;
    try {
      const held = await database.transaction().execute((transaction) => hold(transaction));
      await failpoint('redeem-hold-committed');
      return held;
    } catch (error) {
      const refusal = await refusalOf(database, command, error);
      // Nothing of the transaction stays, but a guess was compared all the same.
      if (guess) await database.transaction().execute(countGuess);
      return { kind: 'answered', outcome: outcomeFor(command, refusal) };
    }

    async function hold(transaction: DatabaseTransaction) {
      const left = command.hasKey
        ? undefined
        : await takeAbandonedAnswer<RedemptionMade>(transaction, command);
      if (left) return { kind: 'answered', outcome: left } as const;
      const begun = await beginOperation<RedemptionMade>(transaction, command, KIND);
      if (begun.kind === 'answered') return begun;
      if (begun.kind === 'resumed') return resume(transaction);
      await failpoint('redeem-begun');
      const voucher = await lockVoucher(transaction, command.voucherId);
      if (!voucher) return answer(transaction, refuse('voucher-not-found'));
      const merchantId = payeeOf(command, voucher);
      const { company } = command;
      const context = await redemptionContext(transaction, voucher, { company, merchantId });
      const settlement = settle(voucher, context, merchantId);
      if (!settlement.ok && settlement.reason === 'verification-code-incorrect') {
        const budget = context.wrong_codes_per_day ?? limits.wrongCodesPerCompanyAndDay;
        guess = { claimId: context.claim_id, budget };
        await countGuess(transaction);
      }
      if (!settlement.ok) return answer(transaction, settlement);
      return record(transaction, voucher, context, settlement);
    }

    function settle(voucher: LockedVoucher, context: RedemptionContext, merchantId: number) {
      const canPay = (toMerchant: Money) => mobileMoney.canCarry(formatAmount(toMerchant));
      return settleOrRefuse(
        redemptionFacts(voucher, context, { merchantId, canPay }),
        {
          company: command.company,
          merchantId,
          amount: command.amount === null ? undefined : parseMoney(command.amount),
          codeDigest: command.verificationCodeDigest ?? undefined,
          msisdn: command.msisdn ?? undefined,
        },
        limits,
      );
    }

    async function countGuess(transaction: DatabaseTransaction): Promise<void> {
      if (!guess) return;
      const { claimId, budget } = guess;
      const { isLast } = await countWrongCode(transaction, { ...command, claimId }, budget);
      if (isLast) raiseBudgetAlarm(command.company, 'wrong verification codes', budget);
    }

    async function answer(
      transaction: DatabaseTransaction,
      refusal: Refusal,
    ): Promise<RedemptionAnswered> {
      const outcome = await refuseOperation<RedemptionMade>(transaction, command, refusal);
      return { kind: 'answered', outcome };
    }

    async function record(
      transaction: DatabaseTransaction,
      voucher: LockedVoucher,
      context: RedemptionContext,
      settlement: Settlement,
    ): Promise<RedemptionHeld> {
      const attempt = command.hasKey
        ? { operationId: command.operationId, attempt: 1 }
        : await attemptWithoutKey(transaction, voucher.id, context.claim_id);
      const paymentReference = digests.paymentReference(attempt.operationId, attempt.attempt);
      const redemption = newRedemption(command, voucher, context, settlement, paymentReference);
      const redemptionId = await runStep('redemption-not-recorded', () =>
        insertRedemption(transaction, redemption),
      );
      const held = await runStep('status-not-updated', () =>
        holdVoucher(transaction, voucher.id, formatMoney(settlement.taken)),
      );
      if (!held) throw new DatabaseStepError('status-not-updated');
      await runStep('reserve-not-updated', () =>
        debitReserve(transaction, [
          {
            operationId: command.operationId,
            partnerId: voucher.partner_id,
            step: 'hold',
            debit: 'reserved',
            credit: 'gift-hold',
            amount: settlement.taken,
          },
        ]),
      );
      await clearWrongCodes(transaction, voucher.id, command.company);
      const messageId = await runStep('message-not-queued', () =>
        queueConfirmation(transaction, { command, voucher, context, redemptionId, limits }),
      );
      await failpoint('redeem-held');
      const names = {
        operationId: command.operationId,
        merchantName: context.merchant_name ?? '',
        isResumed: false,
      };
      return describeHold({ ...redemption, ...names }, voucher.serial_number, messageId);
    }

    async function resume(transaction: DatabaseTransaction): Promise<RedemptionHeld> {
      const redemption = await lockRedemption(transaction, command.operationId);
      const message = await findMessage(transaction, { redemptionId: redemption.id });
      return describeHold(
        {
          operationId: command.operationId,
          platformReference: redemption.platform_reference,
          paymentReference: redemption.payment_reference,
          merchantName: redemption.merchant_name,
          isResumed: true,
          payee: redemption.payee,
          toMerchant: redemption.to_merchant,
          serviceFee: redemption.service_fee,
        },
        redemption.serial_number,
        message?.id ?? null,
      );
    }
  }

  return { holdRedemption };
}

/** The reserve that the vouchers stand for must be there: a lack of it is a fault of its own (4095). */
async function debitReserve(
  transaction: DatabaseTransaction,
  transfers: readonly Transfer[],
): Promise<void> {
  try {
    await addTransfers(transaction, transfers);
  } catch (error) {
    if (violates(error, balanceConstraint))
      throw new DatabaseStepError('reserve-not-debited', error);
    throw error;
  }
}

type HeldAmounts = Pick<NewRedemption, 'toMerchant' | 'serviceFee' | 'payee'>;
type HeldNames = Pick<
  RedemptionHeld,
  'operationId' | 'platformReference' | 'paymentReference' | 'merchantName' | 'isResumed'
>;

const describeHold = (
  redemption: HeldAmounts & HeldNames,
  serialNumber: string,
  messageId: number | null,
): RedemptionHeld => ({
  kind: 'held',
  operationId: redemption.operationId,
  isResumed: redemption.isResumed,
  messageId,
  serialNumber,
  platformReference: redemption.platformReference,
  paymentReference: redemption.paymentReference,
  merchantName: redemption.merchantName,
  payoutAccount: redemption.payee.map(({ key, value }) => `${key} ${maskMsisdn(value)}`).join(', '),
  toMerchant: formatAmount(parseMoney(redemption.toMerchant)),
  serviceFee: formatAmount(parseMoney(redemption.serviceFee)),
});
