import { randomUUID } from 'node:crypto';
import { randomVerificationCode } from '../../src/crypto/random.ts';
import { type DatabaseTransaction, sendTogether } from '../../src/db/connection.ts';
import { giveBackCompanyMessage, noteMessagesSpent } from '../../src/db/limits/daily-limits.ts';
import { cancelQueuedMessages, findMessage, queueMessage } from '../../src/db/messages/messages.ts';
import {
  answerRefusal,
  beginOperation,
  outcomeFor,
  refuseOperation,
  settleKnownOperation,
} from '../../src/db/operations.ts';
import {
  type ClaimContext,
  claimContext,
  claimExpiry,
  claimMadeBy,
  endClaim,
  endLiveClaim,
  type InsertedClaim,
  insertClaim,
  lastEndedClaim,
  releaseClaimedVoucher,
  startClaim,
} from '../../src/db/vouchers/claims.ts';
import {
  type LockedVoucher,
  lockVoucher,
  lockVoucherAndOwner,
} from '../../src/db/vouchers/vouchers.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import { maskStored } from '../../src/domain/phone.ts';
import {
  type AnsweredOperation,
  answered,
  type OperationOutcome,
  type Refusal,
  refuse,
} from '../../src/domain/refusals.ts';
import {
  codeDigits,
  type MessageCounts,
  paymentOfClaim,
  refuseClaim,
} from '../../src/domain/vouchers/claim.ts';
import type { Company } from '../../src/domain/vouchers/voucher.ts';
import type { ClaimCommand, ClaimMade } from '../../workflows/contracts.ts';
import { countMessage, messageCountsOf, raiseBudgetAlarm } from '../budgets.ts';
import { outcomeAfter, runChange, runStep } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { MessageOutcome, MessageSender } from '../messages.ts';
import { claimFacts, payeeOfClaim, payoutChoice } from './facts.ts';

/** Raises the alarm for a budget that was lowered below the count: the first refused message reaches it. */
async function noteSpentMessages(
  transaction: DatabaseTransaction,
  company: Company,
  budget: number,
): Promise<void> {
  if (await noteMessagesSpent(transaction, company, budget))
    raiseBudgetAlarm(company, 'messages', budget);
}

const KIND = 'initiate-claim';

/** A new claim, its consequences, and texts for support staff. */
export interface ClaimStarted {
  readonly kind: 'started';
  readonly claimId: string;
  readonly messageId: number;
  /** The workflow of the claim that this one replaced. */
  readonly supersededWorkflowId: string | null;
  readonly serialNumber: string;
  /** Decimal string with two digits, for people. */
  readonly amount: string;
  /** Masked. */
  readonly owner: string;
  /** The claiming merchant, or the voucher's merchant. */
  readonly merchantName: string;
  /** ISO 8601 */
  readonly expiresAt: string;
  /** The counted wrong codes of the voucher at the time of the claim; absent where an earlier attempt made it. */
  readonly wrongCodes?: number;
}

/** The workflow that makes a claim. */
interface ClaimRun {
  readonly claimLifetimeMs: number;
  readonly workflowId: string;
}

/** The context of a claim's steps. */
interface ClaimCreation {
  readonly command: ClaimCommand;
  readonly run: ClaimRun;
  readonly dependencies: ActivityDependencies;
}

/** The rows for the checks of a claim; the row of the voucher is locked. */
interface ClaimRows {
  readonly voucher: LockedVoucher;
  readonly context: ClaimContext;
  readonly messages: MessageCounts;
}

/** Whether an earlier attempt of this step confirmed the claim, and only its end was lost. */
const wasConfirmed = (
  { requestId, result }: OperationOutcome<ClaimMade>,
  command: ClaimCommand,
): boolean => result.ok && requestId === command.requestId;

/** Makes a claim in the given transaction, or answers the refusal. */
async function createOrAnswer(
  transaction: DatabaseTransaction,
  creation: ClaimCreation,
): Promise<ClaimStarted | AnsweredOperation<ClaimMade>> {
  const { command, dependencies } = creation;
  const begun = await beginOperation<ClaimMade>(transaction, command, KIND);
  if (begun.kind === 'answered' && !wasConfirmed(begun.outcome, command)) return begun;
  await dependencies.failpoint('claim-begun');
  const voucher = await lockVoucherAndOwner(transaction, command.voucherId);
  if (!voucher) return answerRefusal(transaction, command, refuse('voucher-not-found'));
  if (begun.kind !== 'begun') {
    // A claim that a newer claim has replaced is not made again: it would make the newer code useless.
    const isAnswered = begun.kind === 'answered';
    const made = await claimMadeBy(transaction, command, isAnswered);
    if (made) return resumeClaim(transaction, { command, voucher, claim: made });
    if (isAnswered) throw new Error('The confirmed claim does not exist');
  }
  const context = await claimContext(transaction, withNumberHash(voucher, dependencies), {
    company: command.company,
    merchantId: payeeOfClaim(command, voucher),
  });
  const messages = messageCountsOf(context, dependencies.settings.vouchers);
  const rows = { voucher, context, messages };
  const refusal = await refuseByRows(transaction, creation, rows);
  if (!refusal) return recordClaim(transaction, creation, rows);
  const refused = await answerRefusal<ClaimMade>(transaction, command, refusal);
  if (refusal.reason === 'company-messages-exhausted')
    await noteSpentMessages(transaction, command.company, messages.companyMessages.budget);
  return refused;
}

/** The claim of an earlier attempt of this operation. */
async function resumeClaim(
  transaction: DatabaseTransaction,
  made: MadeClaim,
): Promise<ClaimStarted> {
  const { id: claimId } = made.claim;
  const message = await findMessage(transaction, 'claim_id', claimId);
  if (!message) throw new Error('The claim has no message');
  const replaced = await lastEndedClaim(transaction, {
    voucherId: made.voucher.id,
    status: 'SUPERSEDED',
    before: claimId,
  });
  return {
    ...describeClaim(made),
    claimId,
    messageId: message.id,
    supersededWorkflowId: replaced?.workflowId ?? null,
  };
}

async function refuseByRows(
  transaction: DatabaseTransaction,
  { command, dependencies }: ClaimCreation,
  { voucher, context, messages }: ClaimRows,
): Promise<Refusal | undefined> {
  const { settings } = dependencies;
  const choice = await payoutChoice(command.operationId, context, dependencies);
  const facts = claimFacts(voucher, context, { messages, canPay: choice.canCarry });
  const amount = command.amount === null ? undefined : parseMoney(command.amount);
  const refusal = refuseClaim(facts, { company: command.company, amount }, settings.vouchers);
  return refusal ?? choice.refuseAccount(transaction, paymentOfClaim(facts, amount));
}

const withNumberHash = (voucher: LockedVoucher, { numbers }: ActivityDependencies) => ({
  ...voucher,
  numberHash:
    voucher.owner_msisdn === null ? undefined : numbers.hashOfStored(voucher.owner_msisdn),
});

/** The owner's number; anonymous vouchers are refused before. */
function ownerOf({ owner_msisdn: owner }: LockedVoucher) {
  if (owner === null) throw new Error('A claimed voucher has no owner');
  return owner;
}

/** The claim's row, its voucher's status and its message; ends the previous claim. */
async function recordClaim(
  transaction: DatabaseTransaction,
  creation: ClaimCreation,
  rows: ClaimRows,
): Promise<ClaimStarted> {
  const { command, dependencies } = creation;
  const { voucher, context, messages } = rows;
  const claim = newClaim(creation, rows);
  const superseded = await endLiveClaim(transaction, voucher.current_claim_id, 'SUPERSEDED');
  const [inserted, , messageId] = await sendTogether(transaction, (together) => [
    insertClaim(together, claim),
    runChange('status-not-updated', () => startClaim(together, voucher.id, claim.id)),
    runStep('message-not-queued', () =>
      queueMessage(together, {
        kind: 'VERIFICATION_CODE',
        msisdn: ownerOf(voucher),
        voucher_id: voucher.id,
        claim_id: claim.id,
      }),
    ),
    countMessage(together, command.company, messages.companyMessages),
  ]);
  await dependencies.failpoint('claim-recorded');
  return {
    ...describeClaim({ command, voucher, claim: inserted }),
    claimId: claim.id,
    messageId,
    supersededWorkflowId: superseded?.workflowId ?? null,
    wrongCodes: context.wrongCodes.count,
  };
}

/** The row of a claim; the code leaves this function only as digest and ciphertext. */
function newClaim(
  { command, run, dependencies }: ClaimCreation,
  { voucher, context }: ClaimRows,
): Parameters<typeof insertClaim>[1] {
  const { digests, secretBox, settings } = dependencies;
  const digits = codeDigits(voucher.wrong_codes, settings.vouchers);
  const code = randomVerificationCode(digits);
  const id = randomUUID();
  return {
    id,
    operation_id: command.operationId,
    workflow_id: run.workflowId,
    voucher_id: voucher.id,
    company_kind: command.company.kind,
    company_id: command.company.id,
    amount: command.amount,
    service_fee_percent: context.merchant?.feePercent ?? null,
    lifetimeSeconds: run.claimLifetimeMs / 1_000,
    code_digest: digests.verificationCode(code, voucher.id),
    code_ciphertext: secretBox.seal(code, `claim ${id}`),
    code_digits: digits,
  };
}

/** A claim after its transaction, with its source data. */
interface MadeClaim {
  readonly command: ClaimCommand;
  readonly voucher: LockedVoucher;
  readonly claim: InsertedClaim;
}

const describeClaim = ({ command, voucher, claim }: MadeClaim) =>
  ({
    kind: 'started',
    serialNumber: voucher.serial_number,
    amount: formatAmount(parseMoney(command.amount ?? voucher.remaining)),
    owner: voucher.owner_msisdn === null ? '' : maskStored(voucher.owner_msisdn),
    merchantName: claim.merchant_name ?? '',
    expiresAt: claim.expires_at.toISOString(),
  }) as const;

/** A claim whose code was sent, or may have been, and its answer. */
export interface ClaimSettled extends ClaimStarted {
  readonly message: MessageOutcome;
  readonly outcome: OperationOutcome<ClaimMade>;
}

/** The outcome that decides about a claim; undefined where the message waits, or is to be tried again. */
function settled(
  sent: MessageOutcome | undefined,
): Exclude<MessageOutcome, { readonly kind: 'not-sent' }> | undefined {
  if (sent?.kind !== 'not-sent') return sent;
  return sent.isHopeless && { ...sent, kind: 'refused' };
}

export function createClaimActivities(dependencies: ActivityDependencies, sender: MessageSender) {
  const { database, failpoint } = dependencies;

  /**
   * Makes a claim, the voucher's live one from now on. One transaction stores its code's digest and
   * ciphertext and queues its message. Idempotent by operation.
   */
  async function createClaim(
    command: ClaimCommand,
    run: ClaimRun,
  ): Promise<ClaimStarted | AnsweredOperation<ClaimMade>> {
    try {
      const claim = await database
        .transaction()
        .execute((transaction) => createOrAnswer(transaction, { command, run, dependencies }));
      await failpoint('claim-committed');
      return claim;
    } catch (error) {
      return answered(await outcomeAfter(database, command, error));
    }
  }

  /**
   * Answers a claim whose message was accepted or has an unknown outcome: the claim stands, and its answer
   * says which. An earlier attempt of this step, whose end Temporal has not seen, may have withdrawn it: then
   * it was refused.
   */
  async function confirmClaim(
    command: ClaimCommand,
    sent: 'accepted' | 'unknown',
  ): Promise<OperationOutcome<ClaimMade>> {
    const outcome = await settleKnownOperation<ClaimMade>(
      database,
      command.operationId,
      'SUCCEEDED',
      { ok: true, ...(sent === 'unknown' && { sending: sent }) },
    );
    await failpoint('claim-confirmed');
    return outcome ?? outcomeFor<ClaimMade>(command, refuse('message-not-queued'));
  }

  /**
   * Withdraws a claim whose message was refused; the voucher is ACTIVE again. A claim that was
   * already answered keeps its answer. A claim whose code pays by now ends with its payment.
   */
  const cancelClaim = (
    command: ClaimCommand,
    claimId: string,
    detail: string,
  ): Promise<OperationOutcome<ClaimMade>> =>
    database.transaction().execute(async (transaction) => {
      const isReleased = await releaseClaimedVoucher(transaction, claimId);
      if (isReleased && (await endClaim(transaction, claimId, 'CANCELLED')))
        await giveBackCompanyMessage(transaction, claimId);
      // The claim ended while its message was being sent; the message is back in the queue.
      else await cancelQueuedMessages(transaction, 'claim_id', claimId);
      const refusal = refuse('message-not-queued', { detail });
      return refuseOperation(transaction, command, refusal);
    });

  /**
   * Makes a claim, sends its code and settles its operation in one step of its workflow. A provider
   * that is slow, or did not take the message, keeps no other workflow waiting. The claim is
   * returned without an outcome, and another step waits for the provider. Where no provider takes
   * messages now, the claim is withdrawn at once.
   */
  async function claimAndSend(
    command: ClaimCommand,
    { sendingMs, ...run }: ClaimRun & { readonly sendingMs: number },
  ): Promise<ClaimSettled | ClaimStarted | AnsweredOperation<ClaimMade>> {
    const claim = await createClaim(command, run);
    if (claim.kind === 'answered') return claim;
    const message = settled(await sender.sendWithin(claim.messageId, sendingMs));
    if (message === undefined) return claim;
    const outcome =
      message.kind === 'refused'
        ? await cancelClaim(command, claim.claimId, message.message)
        : await confirmClaim(command, message.kind);
    return { ...claim, message, outcome };
  }

  /**
   * Ends an expired claim by the database's clock; the voucher is ACTIVE again. Returns the
   * remaining time of an unexpired claim, and 0 for an ended one.
   */
  const expireClaim = (claimId: string): Promise<{ readonly remainingMs: number }> =>
    database.transaction().execute((transaction) => expireOrWait(transaction, claimId));

  return { claimAndSend, confirmClaim, cancelClaim, expireClaim };
}

async function expireOrWait(transaction: DatabaseTransaction, claimId: string) {
  const { voucher_id } = await claimExpiry(transaction, claimId);
  await lockVoucher(transaction, voucher_id);
  const claim = await claimExpiry(transaction, claimId);
  if (claim.status !== 'OPEN') return { remainingMs: 0 };
  // A redemption holds the voucher and decides about the claim.
  if (claim.voucher_status === 'REDEEM_PROCESSING') return { remainingMs: 1_000 };
  if (claim.remaining_ms > 0) return { remainingMs: claim.remaining_ms };
  await releaseClaimedVoucher(transaction, claimId);
  await endClaim(transaction, claimId, 'EXPIRED');
  return { remainingMs: 0 };
}
