import type { DatabaseTransaction } from '../src/db/connection.js';
import { violates } from '../src/db/connection.js';
import { addTransfers, balanceConstraint } from '../src/db/ledger/ledger.js';
import {
  beginRecorded,
  outcomeFor,
  refuseOperation,
  settleOperation,
} from '../src/db/operations/operations.js';
import { endedEffect, isSameRequest } from '../src/db/operations/stored-operations.js';
import { beginAttempt, findAttempt } from '../src/db/topups/topup-attempts.js';
import { TOPUP_KIND } from '../src/db/topups/topup-requests.js';
import { type LockedTopup, type TopupContext, topupContext } from '../src/db/topups/topups.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { formatAmount, formatMoney, parseMoney } from '../src/domain/money.js';
import type { Operator } from '../src/domain/operator.js';
import { maskMsisdn } from '../src/domain/phone.js';
import {
  priceTopup,
  type TopupFacts,
  type TopupTerms,
  topupReference,
} from '../src/domain/topup.js';
import type {
  OperationOutcome,
  RetryCommand,
  TopUpCommand,
  TopUpMade,
} from '../workflows/messages.js';
import { definiteRefusal } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';
import { isAdmitted, isRetrySignal, SIGNAL_SWITCHED_OFF } from './topup-authority.js';
import {
  isStranger,
  kindOf,
  lockTopupOf,
  refuseAfterError,
  refuseTopup,
  retryOf,
} from './topup-refusals.js';

/** An attempt whose money is on hold, and how it reads to support staff. */
export interface TopUpHeld {
  readonly kind: 'held';
  /** Compared by the workflow: what is on hold must be its own. */
  readonly operationId: string;
  /** An earlier run held it, and may have sent it. */
  readonly isResumed: boolean;
  readonly attempt: number;
  /** Masked. */
  readonly msisdn: string;
  /** Decimal string with two digits, for people. */
  readonly amount: string;
  readonly product: string;
  readonly reference: string;
}

export interface TopUpAnswered {
  readonly kind: 'answered';
  readonly outcome: OperationOutcome<TopUpMade>;
}

export function createTopupHoldActivities(dependencies: ActivityDependencies) {
  const { database, operatorLookup, airtime, limits, failpoint } = dependencies;

  /**
   * The first phase of an attempt: airtime → airtime-hold and the attempt's row, in one transaction.
   * Only a PENDING top-up is begun and only a FAILED one retried, and that attempt only once.
   * Repeated with the same operation it changes nothing.
   */
  async function holdTopUp(
    command: TopUpCommand | RetryCommand,
  ): Promise<TopUpHeld | TopUpAnswered> {
    const retry = retryOf(command);
    const subject = retry ? 'retry' : 'topup';
    try {
      const held = await database.transaction().execute((transaction) => hold(transaction));
      await failpoint(`${subject}-hold-committed`);
      return held;
    } catch (error) {
      // Another top-up took the money in this moment; nothing of this one stays.
      const isShort = violates(error, balanceConstraint);
      const refusal = isShort ? refuse('money-insufficient') : definiteRefusal(error);
      const outcome = await refuseAfterError(database, command, refusal, error);
      return { kind: 'answered', outcome };
    }

    async function hold(transaction: DatabaseTransaction): Promise<TopUpHeld | TopUpAnswered> {
      const begun = await beginRecorded<TopUpMade>(transaction, command, kindOf(command));
      if (begun.kind === 'answered') return begun;
      await failpoint(`${subject}-begun`);
      const topup = await lockTopupOf(transaction, command);
      // Its start was withdrawn as provably not sent, while a duplicate was sending its own.
      if (!topup) return forget(transaction, refuse('unavailable', { retryAfterSeconds: 1 }));
      if (isStranger(topup, command))
        return { kind: 'answered', outcome: outcomeFor(command, gone) };
      if (topup.has_begun) return describeAttempt(transaction, command.operationId, true);
      if (!retry && topup.status !== 'PENDING') return answerEnded(transaction, topup);
      // A new top-up must be of this request: its number may have been drawn for another.
      if (!retry && !isSameRequest(topup.request_digest, command))
        return forget(transaction, refuse('key-reused'));
      const isTold = begun.kind === 'resumed' && begun.isAccepted;
      const held = await holdOrRefuse(transaction, topup);
      if (!('reason' in held)) return held;
      const told = isTold ? { topupId: topup.id } : undefined;
      return { kind: 'answered', outcome: await refuseTopup(transaction, command, held, told) };
    }

    async function holdOrRefuse(
      transaction: DatabaseTransaction,
      topup: LockedTopup,
    ): Promise<TopUpHeld | Refusal> {
      const refusal = retry && refuseByState(topup, retry);
      if (refusal) return refusal;
      if (isRetrySignal(command) && !limits.supportRetrySignal)
        return refuse('topup-not-failed', { detail: SIGNAL_SWITCHED_OFF });
      const msisdn = retry?.msisdn ?? topup.msisdn;
      const context = await topupContext(transaction, topup, command.company);
      const operator = await operatorLookup(msisdn);
      const terms = priceTopup(
        {
          ...topupFacts(topup, context, operator),
          isAdmitted: await isAdmitted(transaction, topup, context, command),
        },
        limits.topupRanges,
      );
      if (!terms.ok) return terms;
      if (!airtime.canCarry(formatAmount(terms.amount))) return refuse('amount-out-of-range');
      await begin(transaction, topup, context, terms, msisdn);
      return describeAttempt(transaction, command.operationId, false);
    }

    async function begin(
      transaction: DatabaseTransaction,
      topup: LockedTopup,
      context: TopupContext,
      terms: TopupTerms,
      msisdn: string,
    ): Promise<void> {
      const attempt = topup.attempt + 1;
      await beginAttempt(transaction, {
        topupId: topup.id,
        attempt,
        operationId: command.operationId,
        reference: topupReference(topup.operation_id, attempt),
        msisdn,
        operator: terms.operator,
        amount: formatMoney(terms.amount),
        productId: context.product_id,
        providerProductId: context.provider_product_id,
      });
      await addTransfers(transaction, [
        {
          operationId: command.operationId,
          partnerId: topup.partner_id,
          step: 'hold',
          debit: 'airtime',
          credit: 'airtime-hold',
          amount: terms.amount,
        },
      ]);
      await failpoint(`${subject}-held`);
    }

    /** A new top-up that never began and was failed without its operation. */
    async function answerEnded(
      transaction: DatabaseTransaction,
      topup: LockedTopup,
    ): Promise<TopUpAnswered> {
      const { operationId } = command;
      const ended = await endedEffect(transaction, TOPUP_KIND, operationId);
      if (!ended || !isSameRequest(topup.request_digest, command))
        return forget(transaction, refuse(ended ? 'key-reused' : 'still-processing'));
      const result = ended.outcome as Refusal;
      const outcome = await settleOperation<TopUpMade>(transaction, operationId, 'FAILED', result);
      return { kind: 'answered', outcome };
    }

    /** Refuses what has nothing to do with the top-up that is there. */
    async function forget(
      transaction: DatabaseTransaction,
      refusal: Refusal,
    ): Promise<TopUpAnswered> {
      const outcome = await refuseOperation<TopUpMade>(transaction, command, refusal);
      return { kind: 'answered', outcome };
    }
  }

  async function describeAttempt(
    transaction: DatabaseTransaction,
    operationId: string,
    isResumed: boolean,
  ): Promise<TopUpHeld> {
    const attempt = await findAttempt(transaction, operationId);
    return {
      kind: 'held',
      operationId,
      isResumed,
      attempt: attempt.attempt,
      msisdn: maskMsisdn(attempt.msisdn),
      amount: formatAmount(parseMoney(attempt.amount ?? '0')),
      product: attempt.product_name ?? 'Airtime',
      reference: attempt.reference,
    };
  }

  return { holdTopUp };
}

/** What was asked for is withdrawn: the request was recorded anew under another number. */
const gone = refuse('unavailable', { retryAfterSeconds: 1 });

/** A retry must be of the failed attempt. */
function refuseByState(topup: LockedTopup, retry: RetryCommand): Refusal | undefined {
  if (topup.is_contradicted)
    return refuse('topup-not-failed', { detail: 'it was delivered after all; ask support' });
  return topup.status === 'FAILED' && topup.attempt === retry.attempt - 1
    ? undefined
    : refuse('topup-not-failed', { detail: `it is ${topup.status}` });
}

const topupFacts = (
  topup: LockedTopup,
  context: TopupContext,
  operator: Operator | undefined,
): Omit<TopupFacts, 'isAdmitted'> => ({
  kind: topup.kind,
  partnerIsActive: context.partner_status === 'ACTIVE',
  product:
    context.product_id === null
      ? undefined
      : {
          operator: context.product_operator,
          price: context.price_amount === null ? null : parseMoney(context.price_amount),
          providerProductId: context.provider_product_id,
        },
  requestedAmount: topup.amount === null ? null : parseMoney(topup.amount),
  operator,
  walletBalance: parseMoney(context.wallet_balance),
});
