import { randomUUID } from 'node:crypto';
import { randomVerificationCode } from '../src/crypto/random.js';
import type { DatabaseTransaction } from '../src/db/connection.js';
import {
  countCompanyMessage,
  giveBackCompanyMessage,
} from '../src/db/limits/company-daily-counts.js';
import {
  beginOperation,
  outcomeFor,
  refuseOperation,
  settleKnownOperation,
} from '../src/db/operations/operations.js';
import { type ClaimContext, claimContext } from '../src/db/vouchers/claim-context.js';
import {
  claimExpiry,
  endClaim,
  type InsertedClaim,
  insertClaim,
  openClaimOf,
  releaseClaimedVoucher,
  startClaim,
  supersedeClaim,
} from '../src/db/vouchers/claims.js';
import {
  findMessage,
  giveUpMessage,
  lockNumber,
  queueMessage,
} from '../src/db/vouchers/messages.js';
import { type LockedVoucher, lockVoucher } from '../src/db/vouchers/vouchers.js';
import { refuseClaim, refuseMessage } from '../src/domain/claim.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { formatAmount, parseMoney } from '../src/domain/money.js';
import { maskMsisdn } from '../src/domain/phone.js';
import { codeDigits } from '../src/domain/verification-code.js';
import type { ClaimCommand, ClaimMade, OperationOutcome } from '../workflows/messages.js';
import { raiseBudgetAlarm } from './budget-alarm.js';
import { claimFacts, payeeOfClaim } from './claim-facts.js';
import { DatabaseStepError, RefusedError, refusalOf, runStep } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';

const KIND = 'initiate-claim';

/** A claim that was made, what follows from it, and how it reads to support staff. */
export interface ClaimStarted {
  readonly kind: 'started';
  readonly claimId: string;
  readonly messageId: number;
  /** The operation whose claim this one has taken the place of. */
  readonly supersededOperationId: string | null;
  /** Its workflow; null, or left out by histories from before, where it is named by the operation. */
  readonly supersededWorkflowId?: string | null;
  readonly serialNumber: string;
  /** Decimal string with two digits, for people. */
  readonly amount: string;
  /** Masked. Histories from before lack this and what follows. */
  readonly owner?: string;
  /** The merchant that claims, or that the voucher is for. */
  readonly merchantName?: string;
  /** ISO 8601 */
  readonly expiresAt?: string;
  /** Those of the voucher that count, when the claim was made. */
  readonly wrongCodes?: number;
}

export interface ClaimAnswered {
  readonly kind: 'answered';
  readonly outcome: OperationOutcome<ClaimMade>;
}

export function createClaimActivities(dependencies: ActivityDependencies) {
  const { database, digests, secretBox, limits, mobileMoney, failpoint } = dependencies;

  /**
   * Makes a claim: the voucher's live one from now on, its code's digest and ciphertext stored and
   * its message queued, in one transaction. Repeated with the same operation it changes nothing.
   */
  async function createClaim(
    command: ClaimCommand,
    run: { readonly claimLifetimeMs: number; readonly workflowId: string },
  ): Promise<ClaimStarted | ClaimAnswered> {
    try {
      const claim = await database.transaction().execute((transaction) => make(transaction));
      await failpoint('claim-committed');
      return claim;
    } catch (error) {
      const refusal = await refusalOf(database, command, error);
      return { kind: 'answered', outcome: outcomeFor(command, refusal) };
    }

    async function make(transaction: DatabaseTransaction) {
      const begun = await beginOperation<ClaimMade>(transaction, command, KIND);
      if (begun.kind === 'answered') return begun;
      await failpoint('claim-begun');
      const voucher = await lockVoucher(transaction, command.voucherId);
      if (!voucher) return answer(transaction, refuse('voucher-not-found'));
      const made = await openClaimOf(transaction, command.operationId);
      if (begun.kind === 'resumed' && made) return resume(transaction, voucher, made);
      if (voucher.owner_msisdn !== null) await lockNumber(transaction, voucher.owner_msisdn);
      const context = await claimContext(transaction, voucher, {
        company: command.company,
        merchantId: payeeOfClaim(command, voucher),
      });
      const facts = claimFacts(voucher, context, {
        ...limits,
        canPay: (toMerchant) => mobileMoney.canCarry(formatAmount(toMerchant)),
      });
      const amount = command.amount === null ? undefined : parseMoney(command.amount);
      const refusal = refuseClaim(facts, { company: command.company, amount }, limits);
      if (refusal) return answer(transaction, refusal);
      return start(transaction, voucher, context);
    }

    async function answer(
      transaction: DatabaseTransaction,
      refusal: Refusal,
    ): Promise<ClaimAnswered> {
      const outcome = await refuseOperation<ClaimMade>(transaction, command, refusal);
      return { kind: 'answered', outcome };
    }

    async function start(
      transaction: DatabaseTransaction,
      voucher: LockedVoucher,
      context: ClaimContext,
    ): Promise<ClaimStarted> {
      const digits = codeDigits(voucher.wrong_codes, limits);
      const code = randomVerificationCode(digits);
      const claimId = randomUUID();
      const superseded = await supersedeClaim(transaction, voucher.current_claim_id);
      const inserted = await insertClaim(transaction, {
        id: claimId,
        operationId: command.operationId,
        workflowId: run.workflowId,
        voucherId: voucher.id,
        company: command.company,
        amount: command.amount,
        serviceFeePercent: context.service_fee_percent,
        lifetimeSeconds: run.claimLifetimeMs / 1_000,
        codeDigest: digests.verificationCode(code, voucher.id),
        codeCiphertext: secretBox.seal(code, `claim ${claimId}`),
        codeDigits: digits,
      });
      const updated = await runStep('status-not-updated', () =>
        startClaim(transaction, voucher.id, claimId),
      );
      if (!updated) throw new DatabaseStepError('status-not-updated');
      const messageId = await runStep('message-not-queued', () =>
        queueMessage(transaction, {
          kind: 'VERIFICATION_CODE',
          msisdn: voucher.owner_msisdn ?? '',
          voucherId: voucher.id,
          claimId,
        }),
      );
      await countMessage(transaction, context);
      await failpoint('claim-recorded');
      return {
        ...started(voucher, inserted),
        claimId,
        messageId,
        supersededOperationId: superseded?.operationId ?? null,
        supersededWorkflowId: superseded?.workflowId ?? null,
        wrongCodes: context.wrong_codes,
      };
    }

    /** Last, so that claims of one company wait for each other's commit only. */
    async function countMessage(
      transaction: DatabaseTransaction,
      context: ClaimContext,
    ): Promise<void> {
      const budget = context.messages_per_day ?? limits.messagesPerCompanyAndDay;
      const { isWithin, isLast } = await countCompanyMessage(transaction, command.company, budget);
      if (!isWithin)
        throw new RefusedError(refuseMessage({ retryAfterSeconds: context.seconds_left_of_day }));
      if (isLast) raiseBudgetAlarm(command.company, 'messages', budget);
    }

    async function resume(
      transaction: DatabaseTransaction,
      voucher: LockedVoucher,
      claim: InsertedClaim,
    ): Promise<ClaimStarted> {
      const { id: claimId } = claim;
      const message = await findMessage(transaction, { claimId });
      if (!message) throw new Error('A claim without a message');
      const messageId = message.id;
      return { ...started(voucher, claim), claimId, messageId, supersededOperationId: null };
    }

    function started(voucher: LockedVoucher, claim: InsertedClaim) {
      return {
        kind: 'started',
        serialNumber: voucher.serial_number,
        amount: formatAmount(parseMoney(command.amount ?? voucher.remaining)),
        owner: maskMsisdn(voucher.owner_msisdn ?? ''),
        merchantName: claim.merchant_name ?? '',
        expiresAt: claim.expires_at.toISOString(),
      } as const;
    }
  }

  /**
   * Answers a claim whose message was accepted, or of which nobody knows: the claim stands. It may
   * have been taken back in a try whose end Temporal has not seen: then it was refused.
   */
  async function confirmClaim(command: ClaimCommand): Promise<OperationOutcome<ClaimMade>> {
    const outcome = await database.transaction().execute((transaction) =>
      settleKnownOperation<ClaimMade>(transaction, command.operationId, 'SUCCEEDED', {
        ok: true,
      }),
    );
    await failpoint('claim-confirmed');
    return outcome ?? outcomeFor(command, refuse('message-not-queued'));
  }

  /**
   * Takes a claim back whose message was refused; the voucher is ACTIVE again. A claim that was
   * answered before the refusal came keeps its answer.
   */
  const cancelClaim = (
    command: ClaimCommand,
    claimId: string,
    detail: string,
  ): Promise<OperationOutcome<ClaimMade>> =>
    database.transaction().execute(async (transaction) => {
      await releaseClaimedVoucher(transaction, claimId);
      if (await endClaim(transaction, claimId, 'CANCELLED'))
        await giveBackCompanyMessage(transaction, claimId);
      await giveUpMessage(transaction, claimId);
      const refusal = refuse('message-not-queued', { detail });
      return refuseOperation<ClaimMade>(transaction, command, refusal);
    });

  /**
   * Ends a claim whose time is up by the database's clock; the voucher is ACTIVE again. Says how
   * long is left when it is not up yet, and 0 when the claim is over for whatever reason.
   */
  const expireClaim = (claimId: string): Promise<{ readonly remainingMs: number }> =>
    database.transaction().execute(async (transaction) => {
      const { voucher_id } = await claimExpiry(transaction, claimId);
      await lockVoucher(transaction, voucher_id);
      const claim = await claimExpiry(transaction, claimId);
      if (claim.status !== 'OPEN') return { remainingMs: 0 };
      // A redemption holds the voucher: it decides what becomes of the claim.
      if (claim.voucher_status === 'REDEEM_PROCESSING') return { remainingMs: 1_000 };
      if (claim.remaining_ms > 0) return { remainingMs: claim.remaining_ms };
      await releaseClaimedVoucher(transaction, claimId);
      await endClaim(transaction, claimId, 'EXPIRED');
      return { remainingMs: 0 };
    });

  return { createClaim, confirmClaim, cancelClaim, expireClaim };
}
