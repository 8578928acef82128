import { randomUUID } from 'node:crypto';
import { randomVerificationCode } from '../../src/crypto/random.ts';
import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { beginOperation, refuseOperation } from '../../src/db/operations/operations.ts';
import { type ClaimContext, claimContext } from '../../src/db/vouchers/claim-context.ts';
import {
  claimMadeBy,
  type InsertedClaim,
  insertClaim,
  type NewClaim,
  startClaim,
} from '../../src/db/vouchers/claims.ts';
import { endLiveClaim, lastEndedClaim } from '../../src/db/vouchers/ended-claims.ts';
import { findMessage, queueMessage } from '../../src/db/vouchers/messages.ts';
import { type LockedVoucher, lockVoucherAndOwner } from '../../src/db/vouchers/vouchers.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import { maskStored } from '../../src/domain/phone.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import { refuseClaim } from '../../src/domain/vouchers/claim.ts';
import { codeDigits } from '../../src/domain/vouchers/verification-code.ts';
import type { ClaimCommand, ClaimMade, OperationOutcome } from '../../workflows/contracts.ts';
import { DatabaseStepError, runStep } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { claimFacts, payeeOfClaim } from './claim-facts.ts';
import { countClaimMessage, noteSpentMessages } from './message-budget.ts';
import { payoutChoice } from './redemption-facts.ts';

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

export interface ClaimAnswered {
  readonly kind: 'answered';
  readonly outcome: OperationOutcome<ClaimMade>;
}

/** The workflow that makes a claim. */
export interface ClaimRun {
  readonly claimLifetimeMs: number;
  readonly workflowId: string;
}

/** The context of a claim's steps. */
export interface ClaimCreation {
  readonly command: ClaimCommand;
  readonly run: ClaimRun;
  readonly dependencies: ActivityDependencies;
}

/** The rows that a claim's checks use; the voucher's is locked. */
interface ClaimRows {
  readonly voucher: LockedVoucher;
  readonly context: ClaimContext;
}

/** Makes a claim in the given transaction, or answers the refusal. */
export async function createOrAnswer(
  transaction: DatabaseTransaction,
  creation: ClaimCreation,
): Promise<ClaimStarted | ClaimAnswered> {
  const { command, dependencies } = creation;
  const begun = await beginOperation<ClaimMade>(transaction, command, KIND);
  if (begun.kind === 'answered') return begun;
  await dependencies.failpoint('claim-begun');
  const voucher = await lockVoucherAndOwner(transaction, command.voucherId);
  if (!voucher) return answer(transaction, command, refuse('voucher-not-found'));
  if (begun.kind === 'resumed') {
    // Made again, a claim that a newer one has replaced would make the newer code useless.
    const made = await claimMadeBy(transaction, command);
    if (made) return resumeClaim(transaction, { command, voucher, claim: made });
  }
  const context = await claimContext(transaction, withNumberHash(voucher, dependencies), {
    company: command.company,
    merchantId: payeeOfClaim(command, voucher),
  });
  const rows = { voucher, context };
  const refusal = await refuseByRows(transaction, creation, rows);
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

/** The claim of an earlier attempt of this operation. */
async function resumeClaim(
  transaction: DatabaseTransaction,
  made: MadeClaim,
): Promise<ClaimStarted> {
  const { id: claimId } = made.claim;
  const message = await findMessage(transaction, { claimId });
  if (!message) throw new Error('A claim without a message');
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
  { voucher, context }: ClaimRows,
): Promise<Refusal | undefined> {
  const { limits } = dependencies;
  const choice = await payoutChoice(command.operationId, context, dependencies);
  const facts = claimFacts(voucher, context, { ...limits, canPay: choice.canCarry });
  const amount = command.amount === null ? undefined : parseMoney(command.amount);
  const refusal = refuseClaim(facts, { company: command.company, amount }, limits);
  return refusal ?? choice.refuseAccount(transaction, amount ?? facts.voucher.remaining);
}

const withNumberHash = (voucher: LockedVoucher, { numbers }: ActivityDependencies) => ({
  ...voucher,
  numberHash:
    voucher.owner_msisdn === null ? undefined : numbers.hashOfStored(voucher.owner_msisdn),
});

/** Anonymous vouchers are refused before. */
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
  const { voucher, context } = rows;
  const claim = newClaim(creation, rows);
  const superseded = await endLiveClaim(transaction, voucher.current_claim_id, 'SUPERSEDED');
  const inserted = await insertClaim(transaction, claim);
  const updated = await runStep('status-not-updated', () =>
    startClaim(transaction, voucher.id, claim.id),
  );
  if (!updated) throw new DatabaseStepError('status-not-updated');
  const messageId = await runStep('message-not-queued', () =>
    queueMessage(transaction, {
      kind: 'VERIFICATION_CODE',
      msisdn: ownerOf(voucher),
      voucherId: voucher.id,
      claimId: claim.id,
    }),
  );
  await countClaimMessage(transaction, creation, context);
  await dependencies.failpoint('claim-recorded');
  return {
    ...describeClaim({ command, voucher, claim: inserted }),
    claimId: claim.id,
    messageId,
    supersededWorkflowId: superseded?.workflowId ?? null,
    wrongCodes: context.wrong_codes,
  };
}

/** The row of a claim; the code leaves this function only as digest and ciphertext. */
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
