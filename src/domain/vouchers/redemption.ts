import type { CompanyAuthority } from '../access.ts';
import type { Money } from '../money.ts';
import { refuseCountry } from '../phone.ts';
import { type Refusal, refuse } from '../refusals.ts';
import {
  type AmountLimits,
  type CodeLimits,
  type Count,
  codeDigits,
  describeRedeemable,
  type PayoutFacts,
  refuseAmount,
  refuseByState,
  type SettledAmounts,
  splitRedemption,
  WRONG_CODES_PER_DAY,
} from './claim.ts';
import { type Company, isRedeemableBy } from './voucher.ts';

/** Facts read for a redemption, with the voucher's row locked. */
export interface RedemptionFacts extends PayoutFacts {
  readonly voucher: PayoutFacts['voucher'] & { readonly ownerMsisdn: string | null };
  /** The voucher's unexpired claim, if this company made it. */
  readonly claim: {
    /** Undefined is the whole balance. */
    readonly amount: Money | undefined;
    /** `amount` was the whole balance, and the voucher has grown since. */
    readonly wasWhole: boolean;
    readonly feePercent: string | null;
    readonly codeDigest: string;
    readonly codeDigits: number;
  } | null;
  readonly wrongCodes: Count & {
    /** Wrong codes of all companies, over the life of the voucher. */
    readonly ofVoucher: number;
  };
}

export interface RedemptionLimits extends AmountLimits, CodeLimits {
  readonly servedCountries: readonly string[];
}

export interface RedemptionRequest {
  readonly company: Company;
  readonly merchantId: number;
  /** For an anonymous voucher only; undefined means the whole balance. */
  readonly amount: Money | undefined;
  readonly codeDigest: string | undefined;
  /** The digests of the same code under further keys. */
  readonly otherCodeDigests?: readonly string[];
  /** E.164, if the request has one. */
  readonly msisdn: string | undefined;
}

/**
 * Checks a redemption: the first failing rule is the refusal. Only `verification-code-incorrect`
 * counts as a wrong attempt. After the last rule nothing may refuse.
 */
export function settleOrRefuse(
  facts: RedemptionFacts,
  request: RedemptionRequest,
  limits: RedemptionLimits,
): SettledAmounts | Refusal {
  const refusal =
    refuseByState(facts, request.company, refusePayee(facts, request)) ??
    refuseByCode(facts, request, limits);
  if (refusal) return refusal;
  const remaining = settledBalance(facts);
  const { claim } = facts;
  if (claim && request.amount !== undefined && request.amount !== (claim.amount ?? remaining))
    return refuse('amount-not-claimed');
  const feePercent = claim?.feePercent ?? facts.merchant?.feePercent;
  if (feePercent === null || feePercent === undefined) return refuse('service-fee-missing');
  const amount = claim ? claim.amount : request.amount;
  const amountFacts = { ...facts, remaining, feePercent };
  const settlement = splitRedemption({ remaining, amount, feePercent });
  if (!settlement.ok) return { ...settlement, detail: describeRedeemable(amountFacts, limits) };
  const refused = refuseAmount(amountFacts, amount, limits);
  if (refused) return refused;
  if (!facts.merchant?.hasPayoutAccount) return refuse('payout-account-missing');
  return settlement;
}

/**
 * The balance that a redemption takes in whole or in part. A claim of the whole keeps the terms
 * that its owner was told: what the voucher has grown by since stays on it.
 */
const settledBalance = ({ claim, voucher }: RedemptionFacts): Money =>
  claim?.wasWhole && claim.amount !== undefined && claim.amount <= voucher.remaining
    ? claim.amount
    : voucher.remaining;

function refusePayee(
  { voucher, merchant }: RedemptionFacts,
  { merchantId }: RedemptionRequest,
): Refusal | undefined {
  if (!isRedeemableBy(voucher, merchantId)) return refuse('voucher-restricted');
  return merchant?.isActive ? undefined : refuse('merchant-not-found');
}

function refuseByCode(
  facts: RedemptionFacts,
  request: RedemptionRequest,
  limits: RedemptionLimits,
): Refusal | undefined {
  const { ownerMsisdn } = facts.voucher;
  // The confirmation of an anonymous voucher goes to this number. An owner's number was checked at
  // generation.
  if (ownerMsisdn === null)
    return request.msisdn === undefined
      ? undefined
      : refuseCountry(request.msisdn, limits.servedCountries);
  if (request.codeDigest === undefined) return refuse('verification-code-missing');
  if (!facts.claim) return refuse('claim-not-found');
  if (facts.wrongCodes.count >= WRONG_CODES_PER_DAY)
    return refuse('attempts-exhausted', { retryAfterSeconds: facts.wrongCodes.retryAfterSeconds });
  if (facts.claim.codeDigits < codeDigits(facts.wrongCodes.ofVoucher, limits))
    return refuse('claim-not-found', {
      detail: 'the voucher had too many wrong codes, so the next code is longer',
    });
  const { codeDigest, otherCodeDigests = [] } = request;
  if (![codeDigest, ...otherCodeDigests].includes(facts.claim.codeDigest))
    return refuse('verification-code-incorrect');
  // This check follows the check of the code: otherwise a caller could guess the owner's number.
  if (request.msisdn !== undefined && request.msisdn !== ownerMsisdn)
    return refuse('msisdn-not-owner');
  return undefined;
}

/** The states of a reversal for people: NEEDS_ACTION is pending, and a person must look at it. */
export const reversalStates = ['PENDING', 'NEEDS_ACTION', 'SUCCESS', 'FAILED'] as const;
export type ReversalState = (typeof reversalStates)[number];

/** The facts of a payment that decide about its reversal. */
export interface ReversedPayment {
  /** Whether the merchant has the money. */
  readonly isPaid: boolean;
  /** Whether the voucher pays for the whole payment, and can get its value back. */
  readonly isReturnable: boolean;
  /** Seconds since the end of the payment; 0 before. */
  readonly secondsSincePayment: number;
  /** Whether the provider took the payment back by itself, or a reversal succeeded. */
  readonly isReversed: boolean;
  /** The operation of the reversal that is under way; null where none is. */
  readonly pendingReversal: string | null;
  /** The open case of the payment, which a person must settle first; null where there is none. */
  readonly caseId: number | null;
}

/** Facts read for a merchant's reversal, with the rows of voucher and redemption locked. */
export interface ReversalFacts extends CompanyAuthority {
  /** Undefined where the merchant was paid for no such redemption. */
  readonly redemption: ReversedPayment | undefined;
  readonly providerCanReverse: boolean;
}

/**
 * Checks a reversal: the first failing rule is the refusal. `windowSeconds` is the time after the payment within
 * which a merchant may ask for the reversal; 0 allows none.
 */
export function refuseReversal(facts: ReversalFacts, windowSeconds: number): Refusal | undefined {
  const { redemption } = facts;
  if (!facts.isAdmitted) return refuse('token-invalid');
  if (!facts.companyIsActive) return refuse('merchant-not-found');
  if (!redemption) return refuse('redemption-not-found');
  if (redemption.pendingReversal !== null) return refuse('reversal-in-progress');
  if (redemption.isReversed) return refuse('redemption-reversed');
  if (redemption.caseId !== null)
    return refuse('reversal-in-progress', {
      detail: 'support settles what the provider says of it',
    });
  if (!redemption.isPaid) return refuse('redemption-not-paid');
  if (!redemption.isReturnable || !facts.providerCanReverse || windowSeconds === 0)
    return refuse('reversal-not-supported');
  return redemption.secondsSincePayment > windowSeconds ? refuse('reversal-too-late') : undefined;
}
