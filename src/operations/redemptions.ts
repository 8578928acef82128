import type {
  ClaimMade,
  RedeemCommand,
  RedemptionMade,
  RedemptionReversed,
} from '../../workflows/contracts.ts';
import { findOperation, outcomeFor, type StoredOperation } from '../db/operations.ts';
import { findRedemptionNames } from '../db/support-search.ts';
import { heldByContent, runningRedemption } from '../db/vouchers/redemptions.ts';
import { type FoundVoucher, findVoucherByCode } from '../db/vouchers/vouchers.ts';
import { formatMoney, type Money } from '../domain/money.ts';
import type { AccountChecked } from '../domain/payout-account.ts';
import { type OperationOutcome, type Reason, type Refusal, refuse } from '../domain/refusals.ts';
import { type Caller, type Company, isRedeemableBy } from '../domain/vouchers/voucher.ts';
import { claimIdFor, redemptionWorkflowId } from '../runtime/temporal/workflow-starts.ts';
import { StillProcessingError, WorkflowsUnavailableError } from './call-errors.ts';
import {
  identify,
  type OperationResult,
  type OperationServices,
  type RequestIdentity,
  type Run,
  runOnce,
  waitForTurn,
} from './run-once.ts';
import { calls } from './workflow-calls.ts';

/** The reasons for which a claim is refused or fails on both surfaces, in order of the checks. */
export const claimReasons: readonly Reason[] = [
  'voucher-not-found',
  'merchant-not-found',
  'voucher-redeemed',
  'redemption-in-progress',
  'voucher-expired',
  'claim-not-needed',
  'attempts-exhausted',
  'service-fee-missing',
  'amount-exceeds-balance',
  'amount-too-small',
  'parts-exhausted',
  'amount-not-payable',
  'payout-account-missing',
  'message-too-soon',
  'messages-exhausted',
  'messages-refused',
  'company-messages-exhausted',
  'status-not-updated',
  'message-not-queued',
  'database-failed',
  'key-reused',
  'still-processing',
];

/** The reasons for which a redemption is refused or fails on both surfaces, in order of the checks. */
export const redemptionReasons: readonly Reason[] = [
  'voucher-not-found',
  'voucher-restricted',
  'merchant-not-found',
  'voucher-redeemed',
  'redemption-in-progress',
  'voucher-expired',
  'country-not-served',
  'verification-code-missing',
  'claim-not-found',
  'attempts-exhausted',
  'verification-code-incorrect',
  'msisdn-not-owner',
  'amount-not-claimed',
  'service-fee-missing',
  'balance-insufficient',
  'amount-exceeds-balance',
  'balance-negative-after-fee',
  'amount-too-small',
  'parts-exhausted',
  'amount-not-payable',
  'payout-account-missing',
  'number-limit-reached',
  'status-not-updated',
  'reserve-not-updated',
  'redemption-not-recorded',
  'reserve-not-debited',
  'message-not-queued',
  'database-failed',
  'payment-refused',
  'key-reused',
  'still-processing',
];

/**
 * Looks a voucher up within a limit of misses. The surface that takes the code has the limit:
 * a form of the portal names vouchers by their ids, and guesses nothing.
 */
export type VoucherLookUp = <Result>(search: {
  readonly code: { readonly canonical: string | undefined };
  readonly run: () => Promise<Result>;
  /** The refusal in a result; undefined for a stored answer. */
  readonly refusalOf: (result: Result) => Pick<Refusal, 'reason'> | undefined;
  /** The result for a requester that has exceeded the limit. */
  readonly refused: (refusal: Refusal) => Result;
}) => Promise<Result>;

/** A voucher code as parsed by `voucherCodeField`. */
interface RequestedCode {
  readonly canonical: string | undefined;
}

/** A claim of either surface; `content` is the part that the digest covers. */
interface ClaimRequest {
  readonly company: Caller;
  readonly lookUpVoucher: VoucherLookUp;
  readonly key: string | undefined;
  readonly content: object;
  readonly voucherCode: RequestedCode;
  readonly amount?: Money | null | undefined;
}

/** A redemption of either surface. */
interface RedeemRequest extends ClaimRequest {
  readonly verificationCode?: string | null | undefined;
  readonly msisdn?: string | null | undefined;
  /** For a partner that redeems at another merchant. */
  readonly merchantId?: number | null | undefined;
}

/**
 * Finds the voucher of a request. An invalid code, an unknown code and a voucher of another partner
 * have the same result: not found.
 */
async function findRequestedVoucher(
  services: OperationServices,
  company: Company,
  code: RequestedCode,
): Promise<FoundVoucher | undefined> {
  if (code.canonical === undefined) return undefined;
  const digests = services.digests.stored.voucherCode(code.canonical);
  return findVoucherByCode(services.database, company, digests, services.settings.vouchers);
}

const decimal = (amount: Money | null | undefined): string | null =>
  amount === null || amount === undefined ? null : formatMoney(amount);

/** Amounts are bigints after validation, which JSON cannot represent. */
const identityOf = (services: OperationServices, kind: string, request: ClaimRequest) =>
  identify(services, {
    company: request.company,
    kind,
    key: request.key,
    content: { ...request.content, amount: decimal(request.amount) },
  });

/**
 * Whether a request carries on what an earlier request under its key has begun. The codes of the earlier request were
 * right, so this request guesses nothing.
 */
const isRepetition = (as: RequestIdentity, { requestId }: RequestIdentity): boolean =>
  as.requestId !== requestId;

/** Runs an operation on a voucher, a new one within the guess limit of the caller. */
function runOnceFor<Result extends { readonly ok: true }>(
  services: OperationServices,
  request: ClaimRequest,
  identity: RequestIdentity,
  run: (
    voucher: FoundVoucher | undefined,
    ...asked: Parameters<Run<Result>>
  ) => Promise<OperationOutcome<Result>>,
  look?: () => Promise<StoredOperation | undefined>,
) {
  const runUnlessGuessed: Run<Result> = async (as, deadline) => {
    const { company, voucherCode: code } = request;
    const find = async () => run(await findRequestedVoucher(services, company, code), as, deadline);
    if (isRepetition(as, identity)) return find();
    return request.lookUpVoucher({
      code,
      run: find,
      refusalOf: ({ requestId, result }) =>
        result.ok || requestId !== identity.requestId ? undefined : result,
      refused: (refusal) => outcomeFor<Result>(identity, refusal),
    });
  };
  return runOnce<Result>(services, identity, runUnlessGuessed, look);
}

/** Claims a voucher once: the owner gets a code. */
export function claimOnce(services: OperationServices, request: ClaimRequest) {
  const { company } = request;
  const identity = identityOf(services, 'initiate-claim', request);
  return runOnceFor<ClaimMade>(services, request, identity, async (voucher, as, deadline) => {
    // Refused here and not in the workflow, so that the response time does not reveal what the
    // answer hides.
    const isHidden = voucher && company.kind === 'merchant' && !isRedeemableBy(voucher, company.id);
    if (!voucher || isHidden) return outcomeFor<ClaimMade>(identity, refuse('voucher-not-found'));
    const amount = decimal(request.amount);
    const command = { ...as, voucherId: voucher.id, amount };
    services.noteInLog?.({ workflowId: claimIdFor(voucher, command.operationId) });
    return services.workflows.call(calls.claim, { voucher, command }, deadline);
  });
}

/** A payload never contains a code, only its keyed digests with the voucher's id. */
function codeDigestsOf(
  { digests }: OperationServices,
  code: string | null | undefined,
  voucherId: number,
): Pick<RedeemCommand, 'verificationCodeDigest' | 'otherCodeDigests'> {
  const [digest, ...others] = code ? digests.stored.verificationCode(code, voucherId) : [];
  return {
    verificationCodeDigest: digest ?? null,
    ...(others.length > 0 && { otherCodeDigests: others }),
  };
}

/** Redeems a voucher once, through the workflow of its live claim if it has one. */
export async function redeemGiftOnce(services: OperationServices, request: RedeemRequest) {
  const asked = identityOf(services, 'redeem-gift', request);
  const joined = asked.hasKey ? undefined : await heldByContent(services.database, asked);
  const identity = { ...asked, operationId: joined ?? asked.operationId };
  const { verificationCode, msisdn = null, merchantId = null } = request;
  const run = async (
    voucher: FoundVoucher | undefined,
    ...[as, deadline]: Parameters<Run<RedemptionMade>>
  ) => {
    if (!voucher) return outcomeFor<RedemptionMade>(identity, refuse('voucher-not-found'));
    const waits = verificationCode && voucher.isSlowed && !isRepetition(as, identity);
    const slowed = waits ? await waitForTurn(services, request.company, deadline) : undefined;
    if (slowed) return outcomeFor<RedemptionMade>(identity, slowed);
    const command = {
      ...as,
      voucherId: voucher.id,
      merchantId,
      amount: decimal(request.amount),
      ...codeDigestsOf(services, verificationCode, voucher.id),
      msisdn,
    };
    services.noteInLog?.({ workflowId: redemptionWorkflowId(voucher) });
    return services.workflows.call(calls.redeem, { voucher, command }, deadline);
  };
  const look =
    joined === undefined ? undefined : () => findOperation(services.database, asked.kind, joined);
  return runOnceFor<RedemptionMade>(services, request, identity, run, look);
}

/** Our reference of the redemption that currently holds a voucher. */
export const runningReference = async (
  services: OperationServices,
  code: RequestedCode,
): Promise<string | null> => {
  if (code.canonical === undefined) return null;
  const digests = services.digests.stored.voucherCode(code.canonical);
  return (await runningRedemption(services.database, digests))?.platform_reference ?? null;
};

/** Reverses a redemption once: the payment goes back, and its value to the voucher. */
export function reverseRedemptionOnce(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly key: string | undefined;
    readonly redemptionId: number;
    readonly reason: string | null;
    /** The content of the digest besides the redemption. */
    readonly content: object;
  },
): Promise<OperationResult<RedemptionReversed>> {
  const { company, key, redemptionId, reason, content } = request;
  const identity = identify(services, {
    company,
    kind: 'reverse-redemption',
    key,
    content: { ...content, redemptionId },
  });
  return runOnce(services, identity, async (as, deadline) => {
    const named = { redemptionId, merchantId: company.id };
    const redemption = await findRedemptionNames(services.database, named);
    const command = { ...as, redemptionId, reason };
    return services.workflows.call(calls.reverse, { command, redemption }, deadline);
  });
}

/** Asks the providers for the payout account of a merchant; undefined where no answer has come in time. */
export async function checkPayoutAccountOnce(
  { workflows, waits }: Pick<OperationServices, 'workflows' | 'waits'>,
  merchantId: number,
): Promise<AccountChecked | undefined> {
  try {
    const deadline = Date.now() + waits.callerWaitMs;
    return await workflows.call(calls.checkPayoutAccount, { merchantId }, deadline);
  } catch (error) {
    if (error instanceof StillProcessingError || error instanceof WorkflowsUnavailableError)
      return undefined;
    throw error;
  }
}
