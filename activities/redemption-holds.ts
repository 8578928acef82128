import { type DatabaseTransaction, violates } from '../src/db/connection.js';
import { addTransfers, balanceConstraint, type Transfer } from '../src/db/ledger.js';
import { takeLeftAnswer } from '../src/db/left-requests.js';
import { confirmationsToday, findMessage, lockNumber, queueMessage } from '../src/db/messages.js';
import { beginOperation, outcomeFor, refuseOperation } from '../src/db/operations.js';
import { type RedemptionContext, redemptionContext } from '../src/db/redemption-context.js';
import {
  attemptWithoutKey,
  holdVoucher,
  insertRedemption,
  lockRedemption,
  type NewRedemption,
} from '../src/db/redemptions.js';
import { clearWrongCodes, countWrongCode } from '../src/db/verification-attempts.js';
import { type LockedVoucher, lockVoucher } from '../src/db/vouchers.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { formatAmount, formatMoney, parseMoney } from '../src/domain/money.js';
import { maskMsisdn } from '../src/domain/phone.js';
import { type Settlement, settleOrRefuse } from '../src/domain/redemption.js';
import type { OperationOutcome, RedeemCommand, RedemptionMade } from '../workflows/messages.js';
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
    try {
      const held = await database.transaction().execute((transaction) => hold(transaction));
      await failpoint('redeem-hold-committed');
      return held;
    } catch (error) {
      return {
        kind: 'answered',
        outcome: outcomeFor(command, await refusalOf(database, command, error)),
      };
    }

    async function hold(transaction: DatabaseTransaction) {
      const left = command.hasKey
        ? undefined
        : await takeLeftAnswer<RedemptionMade>(transaction, command);
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
      if (!settlement.ok) return answer(transaction, settlement);
      return record(transaction, voucher, context, settlement);
    }

    function settle(voucher: LockedVoucher, context: RedemptionContext, merchantId: number) {
      const settlement = settleOrRefuse(
        redemptionFacts(voucher, context, merchantId),
        {
          company: command.company,
          merchantId,
          amount: command.amount === null ? undefined : parseMoney(command.amount),
          codeDigest: command.verificationCodeDigest ?? undefined,
          msisdn: command.msisdn ?? undefined,
        },
        limits,
      );
      if (settlement.ok && !mobileMoney.canCarry(formatAmount(settlement.toMerchant)))
        return refuse('payment-refused', { detail: 'the provider cannot carry this amount' });
      return settlement;
    }

    async function answer(
      transaction: DatabaseTransaction,
      refusal: Refusal,
    ): Promise<RedemptionAnswered> {
      if (refusal.reason === 'verification-code-incorrect')
        await countWrongCode(transaction, command);
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
      await clearWrongCodes(transaction, voucher.id);
      const messageId = await runStep('message-not-queued', () =>
        queueConfirmation(transaction, voucher, redemptionId),
      );
      await failpoint('redeem-held');
      const names = {
        operationId: command.operationId,
        merchantName: context.merchant_name ?? '',
        isResumed: false,
      };
      return describeHold({ ...redemption, ...names }, voucher.serial_number, messageId);
    }

    /** To a number that the request named, only so many a day; the redemption goes on without. */
    async function queueConfirmation(
      transaction: DatabaseTransaction,
      voucher: LockedVoucher,
      redemptionId: number,
    ): Promise<number | null> {
      const isAnonymous = voucher.owner_msisdn === null;
      const msisdn = voucher.owner_msisdn ?? command.msisdn;
      if (msisdn === null) return null;
      if (isAnonymous) await lockNumber(transaction, msisdn);
      const isLeftOut =
        isAnonymous &&
        (await confirmationsToday(transaction, msisdn)) >= limits.messagesPerNumberAndDay;
      const messageId = await queueMessage(transaction, {
        kind: 'REDEMPTION_CONFIRMATION',
        msisdn,
        voucherId: voucher.id,
        redemptionId,
        ...(isLeftOut ? { leftOut: 'Left out: the number has had its messages of the day' } : {}),
      });
      return isLeftOut ? null : messageId;
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
