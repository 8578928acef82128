import { randomUUID } from 'node:crypto';
import { randomVerificationCode } from '../src/crypto/random.js';
import type { DatabaseTransaction } from '../src/db/connection.js';
import { countCompanyMessage, noteMessagesSpent } from '../src/db/limits/company-daily-counts.js';
import { beginOperation, refuseOperation } from '../src/db/operations/operations.js';
import { type ClaimContext, claimContext } from '../src/db/vouchers/claim-context.js';
import {
  type InsertedClaim,
  insertClaim,
  type NewClaim,
  openClaimOf,
  startClaim,
  supersedeClaim,
} from '../src/db/vouchers/claims.js';
import { findMessage, lockNumber, queueMessage } from '../src/db/vouchers/messages.js';
import { type LockedVoucher, lockVoucher } from '../src/db/vouchers/vouchers.js';
import { refuseClaim, refuseMessage } from '../src/domain/claim.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { formatAmount, parseMoney } from '../src/domain/money.js';
import { maskMsisdn } from '../src/domain/phone.js';
import { codeDigits } from '../src/domain/verification-code.js';
import type { ClaimCommand, ClaimMade, OperationOutcome } from '../workflows/messages.js';
import { raiseBudgetAlarm } from './budget-alarm.js';
import { claimFacts, payeeOfClaim } from './claim-facts.js';
import { DatabaseStepError, RefusedError, runStep } from './database-step.js';
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

/** The workflow that makes a claim. */
export interface ClaimRun {
  readonly claimLifetimeMs: number;
  readonly workflowId: string;
}

/** What every step of making a claim is given. */
export interface ClaimCreation {
  readonly command: ClaimCommand;
  readonly run: ClaimRun;
  readonly dependencies: ActivityDependencies;
}

/** The rows that a claim is judged by, the voucher's locked. */
interface ClaimRows {
  readonly voucher: LockedVoucher;
  readonly context: ClaimContext;
}

/** Makes a claim in the given transaction, or answers why there is none. */
export async function createOrAnswer(
  transaction: DatabaseTransaction,
  creation: ClaimCreation,
): Promise<ClaimStarted | ClaimAnswered> {
  const { command, dependencies } = creation;
  const begun = await beginOperation<ClaimMade>(transaction, command, KIND);
  if (begun.kind === 'answered') return begun;
  await dependencies.failpoint('claim-begun');
  const voucher = await lockVoucher(transaction, command.voucherId);
  if (!voucher) return answer(transaction, command, refuse('voucher-not-found'));
  const made = await openClaimOf(transaction, command.operationId);
  if (begun.kind === 'resumed' && made)
    return resumeClaim(transaction, { command, voucher, claim: made });
  if (voucher.owner_msisdn !== null) await lockNumber(transaction, voucher.owner_msisdn);
  const context = await claimContext(transaction, voucher, {
    company: command.company,
    merchantId: payeeOfClaim(command, voucher),
  });
  const rows = { voucher, context };
  const refusal = refuseByRows(creation, rows);
  if (!refusal) return recordClaim(transaction, creation, rows);
  const answered = await answer(transaction, command, refusal);
  if (refusal.reason === 'company-messages-exhausted')
    await noteSpentMessages(transaction, creation, context);
  return answered;
}

async function answer(
  transaction: DatabaseTransaction,
  command: ClaimCommand,
  refusal: Refusal,
): Promise<ClaimAnswered> {
  const outcome = await refuseOperation<ClaimMade>(transaction, command, refusal);
  return { kind: 'answered', outcome };
}

/** A claim that an earlier try of the same operation made. */
async function resumeClaim(
  transaction: DatabaseTransaction,
  made: MadeClaim,
): Promise<ClaimStarted> {
  const { id: claimId } = made.claim;
  const message = await findMessage(transaction, { claimId });
  if (!message) throw new Error('A claim without a message');
  const messageId = message.id;
  return { ...describeClaim(made), claimId, messageId, supersededOperationId: null };
}

function refuseByRows(
  { command, dependencies }: ClaimCreation,
  { voucher, context }: ClaimRows,
): Refusal | undefined {
  const { limits, mobileMoney } = dependencies;
  const facts = claimFacts(voucher, context, {
    ...limits,
    canPay: (toMerchant) => mobileMoney.canCarry(formatAmount(toMerchant)),
  });
  const amount = command.amount === null ? undefined : parseMoney(command.amount);
  return refuseClaim(facts, { company: command.company, amount }, limits);
}

/** The claim's row, its voucher's state and its message; the claim before it is superseded. */
async function recordClaim(
  transaction: DatabaseTransaction,
  creation: ClaimCreation,
  rows: ClaimRows,
): Promise<ClaimStarted> {
  const { command, dependencies } = creation;
  const { voucher, context } = rows;
  const claim = newClaim(creation, rows);
  const superseded = await supersedeClaim(transaction, voucher.current_claim_id);
  const inserted = await insertClaim(transaction, claim);
  const updated = await runStep('status-not-updated', () =>
    startClaim(transaction, voucher.id, claim.id),
  );
  if (!updated) throw new DatabaseStepError('status-not-updated');
  const messageId = await runStep('message-not-queued', () =>
    queueMessage(transaction, {
      kind: 'VERIFICATION_CODE',
      msisdn: voucher.owner_msisdn ?? '',
      voucherId: voucher.id,
      claimId: claim.id,
    }),
  );
  await countMessage(transaction, creation, context);
  await dependencies.failpoint('claim-recorded');
  return {
    ...describeClaim({ command, voucher, claim: inserted }),
    claimId: claim.id,
    messageId,
    supersededOperationId: superseded?.operationId ?? null,
    supersededWorkflowId: superseded?.workflowId ?? null,
    wrongCodes: context.wrong_codes,
  };
}

/** What a claim is recorded as; its code leaves this function as digest and ciphertext only. */
function newClaim(
  { command, run, dependencies }: ClaimCreation,
  { voucher, context }: ClaimRows,
): NewClaim {
  const { digests, secretBox, limits } = dependencies;
  const digits = codeDigits(voucher.wrong_codes, limits);
  const code = randomVerificationCode(digits);
  const id = randomUUID();
  return {
    id,
    operationId: command.operationId,
    workflowId: run.workflowId,
    voucherId: voucher.id,
    company: command.company,
    amount: command.amount,
    serviceFeePercent: context.service_fee_percent,
    lifetimeSeconds: run.claimLifetimeMs / 1_000,
    codeDigest: digests.verificationCode(code, voucher.id),
    codeCiphertext: secretBox.seal(code, `claim ${id}`),
    codeDigits: digits,
  };
}

/** Last, so that claims of one company wait for each other's commit only. */
async function countMessage(
  transaction: DatabaseTransaction,
  { command: { company }, dependencies: { limits } }: ClaimCreation,
  context: ClaimContext,
): Promise<void> {
  const budget = context.messages_per_day ?? limits.messagesPerCompanyAndDay;
  const { isWithin, isLast } = await countCompanyMessage(transaction, company, budget);
  if (!isWithin)
    throw new RefusedError(refuseMessage({ retryAfterSeconds: context.seconds_left_of_day }));
  if (isLast) raiseBudgetAlarm(company, 'messages', budget);
}

/** A budget that was lowered below what was counted is reached by the first that it refuses. */
async function noteSpentMessages(
  transaction: DatabaseTransaction,
  { command: { company }, dependencies: { limits } }: ClaimCreation,
  context: ClaimContext,
): Promise<void> {
  const budget = context.messages_per_day ?? limits.messagesPerCompanyAndDay;
  if (await noteMessagesSpent(transaction, company, budget))
    raiseBudgetAlarm(company, 'messages', budget);
}

/** A claim as it stands after its transaction, and what it was made of. */
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
    owner: maskMsisdn(voucher.owner_msisdn ?? ''),
    merchantName: claim.merchant_name ?? '',
    expiresAt: claim.expires_at.toISOString(),
  }) as const;
