import { CENT, formatAmount, type Money, percentageOf } from '../money.ts';
import { type Refusal, refuse } from '../refusals.ts';
import {
  belongsToCaller,
  type Company,
  isRedeemableBy,
  refuseBlocked,
  refuseForPartner,
  type VoucherOwnership,
  type VoucherStatus,
} from './voucher.ts';

/** The amounts of a redemption; `taken` leaves the voucher's balance. */
export interface SettledAmounts {
  readonly ok: true;
  readonly toMerchant: Money;
  readonly fee: Money;
  readonly taken: Money;
}

/**
 * Splits a redemption into the merchant's part and the service fee (specification 7.3: 4044, 4091,
 * 4096). For the whole balance, which is the default, the merchant pays the fee out of its part and
 * nothing remains. For a partial amount the merchant receives the amount and the fee comes out of the
 * remaining balance. `feePercent` is a decimal string of the database; an unreadable value throws a
 * RangeError.
 */
export function splitRedemption(redemption: {
  readonly remaining: Money;
  readonly amount: Money | undefined;
  readonly feePercent: string;
}): SettledAmounts | Refusal {
  const { remaining, amount = remaining, feePercent } = redemption;
  if (remaining <= 0n) return refuse('balance-insufficient');
  if (amount > remaining) return refuse('amount-exceeds-balance');
  if (amount <= 0n) return refuse('balance-negative-after-fee');

  const fee = percentageOf(amount, feePercent);
  const toMerchant = amount === remaining ? remaining - fee : amount;
  const taken = toMerchant + fee;
  if (toMerchant <= 0n || taken > remaining) return refuse('balance-negative-after-fee');
  return { ok: true, toMerchant, fee, taken };
}

/**
 * The largest amount in whole cents, below the whole balance, that leaves enough for its fee;
 * undefined where even one cent is too much. One cent more is the whole balance, or is refused.
 */
export function largestPart(voucher: {
  readonly remaining: Money;
  readonly feePercent: string;
}): Money | undefined {
  const { remaining } = voucher;
  // Amount plus fee grows with the amount, so a binary search finds the largest that fits.
  let [possible, impossible] = [0n, (remaining + CENT - 1n) / CENT];
  while (impossible - possible > 1n) {
    const cents = (possible + impossible) / 2n;
    if (splitRedemption({ ...voucher, amount: cents * CENT }).ok) possible = cents;
    else impossible = cents;
  }
  return possible > 0n ? possible * CENT : undefined;
}

/** Limits of partial redemptions. The whole balance has no limit. */
export interface AmountLimits {
  /** The smallest partial redemption, so that its service fee does not round to zero at usual percentages. */
  readonly redemptionMinimum: Money;
  /** Partial redemptions allowed for one voucher. */
  readonly partialRedemptionsPerVoucher: number;
}

/** The facts that decide which amounts of a voucher can be redeemed. */
export interface AmountFacts {
  readonly remaining: Money;
  /** A decimal string; undefined while the merchant to be paid is unknown. */
  readonly feePercent: string | undefined;
  /** Partial redemptions that are completed or hold money. */
  readonly partialRedemptions: number;
  /** Whether the mobile-money provider can pay an amount exactly. */
  readonly canPay: (toMerchant: Money) => boolean;
}

/**
 * Refuses a partial redemption below the minimum or beyond the limit, and an amount that the
 * provider cannot pay exactly: amounts are never rounded. An undefined `amount` means the whole
 * balance. `splitRedemption` must accept the amount.
 */
export function refuseAmount(
  facts: AmountFacts,
  amount: Money | undefined,
  limits: AmountLimits,
): Refusal | undefined {
  const { remaining, feePercent } = facts;
  const detail = () => ({ detail: describeRedeemable(facts, limits) });
  if (amount !== undefined && amount !== remaining) {
    if (amount < limits.redemptionMinimum) return refuse('amount-too-small', detail());
    if (facts.partialRedemptions >= limits.partialRedemptionsPerVoucher)
      return refuse('parts-exhausted', detail());
  }
  if (feePercent === undefined) return undefined;
  const settlement = splitRedemption({ remaining, amount, feePercent });
  const isPayable = !settlement.ok || facts.canPay(settlement.toMerchant);
  return isPayable ? undefined : refuse('amount-not-payable', detail());
}

/** Describes what can be redeemed instead: "at most 487.80, or the whole balance of 500.00, …". */
export function describeRedeemable(facts: AmountFacts, limits: AmountLimits): string {
  const { remaining, feePercent } = facts;
  const part = partOf(facts, limits);
  const least = limits.redemptionMinimum;
  const whole = isWholeRedeemable(facts) ? `the whole balance of ${formatAmount(remaining)}` : '';
  const parts = part && `${least > CENT ? `at least ${formatAmount(least)} and ` : ''}${part}`;
  const possible = [parts, whole].filter(Boolean).join(', or ');
  const atFee = feePercent === undefined ? '' : `with the service fee of ${Number(feePercent)} % `;
  return `${atFee}${parts || !whole ? '' : 'only '}${possible || 'nothing of it'} can be redeemed`;
}

function isWholeRedeemable({ remaining, feePercent, canPay }: AmountFacts): boolean {
  if (feePercent === undefined) return true;
  const settlement = splitRedemption({ remaining, amount: undefined, feePercent });
  return settlement.ok && canPay(settlement.toMerchant);
}

/** Describes the largest partial redemption; undefined where none is possible. */
function partOf(facts: AmountFacts, limits: AmountLimits): string | undefined {
  const { remaining, feePercent, canPay } = facts;
  if (facts.partialRedemptions >= limits.partialRedemptionsPerVoucher) return undefined;
  if (feePercent === undefined)
    return remaining > limits.redemptionMinimum ? 'less than the balance' : undefined;
  const largest = largestPart({ remaining, feePercent });
  const payable = largest === undefined ? undefined : nextPayable(largest, canPay);
  return payable === undefined || payable < limits.redemptionMinimum
    ? undefined
    : `at most ${formatAmount(payable)}`;
}

/** Some providers pay whole birr only: one of the next 100 cents down is a whole birr. */
function nextPayable(largest: Money, canPay: AmountFacts['canPay']): Money | undefined {
  for (let cents = 0n; cents < 100n && largest > cents * CENT; cents += 1n)
    if (canPay(largest - cents * CENT)) return largest - cents * CENT;
  return undefined;
}

/** Number of events in a window, and the seconds until the oldest leaves it. */
export interface Count {
  readonly count: number;
  readonly retryAfterSeconds: number;
}

/** The counts that limit a message to an owner. */
export interface MessageCounts {
  readonly secondsUntilNextMessage: number;
  /** Messages of this kind to the number today. */
  readonly messagesToday: Count;
  /** Messages to the number that the provider refused within an hour. */
  readonly refusedMessages: Count;
  /** Messages that the company sent today. */
  readonly companyMessages: Count & { readonly budget: number };
}

export interface MessageLimits {
  readonly messagesPerNumberAndDay: number;
  readonly refusedMessagesPerNumberAndHour: number;
}

/** Checks the limits of the number and the company. The pause between two messages is checked before. */
export function refuseMessage(
  { messagesToday, refusedMessages, companyMessages }: MessageCounts,
  limits: MessageLimits,
): Refusal | undefined {
  if (messagesToday.count >= limits.messagesPerNumberAndDay)
    return refuse('messages-exhausted', { retryAfterSeconds: messagesToday.retryAfterSeconds });
  if (refusedMessages.count >= limits.refusedMessagesPerNumberAndHour)
    return refuse('messages-refused', { retryAfterSeconds: refusedMessages.retryAfterSeconds });
  return companyMessages.count >= companyMessages.budget
    ? refuseCompanyMessage(companyMessages)
    : undefined;
}

/** The refusal of a company that has reached its daily message limit. */
export const refuseCompanyMessage = ({
  retryAfterSeconds,
}: Pick<Count, 'retryAfterSeconds'>): Refusal =>
  refuse('company-messages-exhausted', { retryAfterSeconds });

/** Facts of a voucher and its payee that a claim and a redemption need, read with the voucher's row locked. */
export interface PayoutFacts {
  /** Whether the caller's API key and token are still valid. */
  readonly isAdmitted: boolean;
  readonly voucher: VoucherOwnership & {
    readonly status: VoucherStatus;
    readonly isPastExpiry: boolean;
    readonly remaining: Money;
  };
  readonly partnerIsActive: boolean;
  /** The merchant to be paid; null where it is not known yet, or no merchant has the id. */
  readonly merchant: {
    readonly isActive: boolean;
    readonly feePercent: string | null;
    readonly hasPayoutAccount: boolean;
  } | null;
  readonly partialRedemptions: number;
  /** An open case of the voucher blocks it: a payment could be made twice. */
  readonly isBlocked: boolean;
  readonly canPay: (toMerchant: Money) => boolean;
  /** Wrong codes of this company for this voucher, within a day. */
  readonly wrongCodes: Count;
}

/**
 * The rules that a claim and a redemption have in common, in their order.
 *
 * @param payeeRefusal the refusal of the merchant to be paid, if any
 */
export function refuseByState(
  { isAdmitted, voucher, partnerIsActive, isBlocked }: PayoutFacts,
  company: Company,
  payeeRefusal: Refusal | undefined,
): Refusal | undefined {
  if (!isAdmitted) return refuse('token-invalid');
  if (voucher.status === 'CANCELLED' || !belongsToCaller(voucher, company))
    return refuse('voucher-not-found');
  if (payeeRefusal) return payeeRefusal;
  if (!partnerIsActive) return refuseForPartner(company);
  if (voucher.status === 'REDEEMED') return refuse('voucher-redeemed');
  if (voucher.status === 'REDEEM_PROCESSING') return refuse('redemption-in-progress');
  if (isBlocked) return refuseBlocked('redemption-in-progress');
  if (voucher.status === 'EXPIRED' || voucher.isPastExpiry) return refuse('voucher-expired');
  return undefined;
}

export interface ClaimFacts extends PayoutFacts, MessageCounts {
  readonly voucher: PayoutFacts['voucher'] & { readonly isAnonymous: boolean };
}

/** Wrong verification codes of one company for one voucher. */
export const WRONG_CODES_PER_DAY = 5;

/**
 * Checks a claim: the first failing rule is the refusal, undefined permits the claim. An undefined
 * `amount` means the whole balance.
 */
export function refuseClaim(
  facts: ClaimFacts,
  claim: { readonly company: Company; readonly amount: Money | undefined },
  limits: AmountLimits & MessageLimits,
): Refusal | undefined {
  const { voucher, merchant } = facts;
  const { company, amount } = claim;
  const refused = refuseByState(facts, company, refusePayee(facts, company));
  if (refused) return refused;
  if (voucher.isAnonymous) return refuse('claim-not-needed');
  if (facts.wrongCodes.count >= WRONG_CODES_PER_DAY)
    return refuse('attempts-exhausted', { retryAfterSeconds: facts.wrongCodes.retryAfterSeconds });
  if (merchant && merchant.feePercent === null) return refuse('service-fee-missing');
  const refusal = refuseClaimedAmount(facts, amount, limits);
  if (refusal) return refusal;
  if (merchant && !merchant.hasPayoutAccount) return refuse('payout-account-missing');
  if (facts.secondsUntilNextMessage > 0)
    return refuse('message-too-soon', { retryAfterSeconds: facts.secondsUntilNextMessage });
  return refuseMessage(facts, limits);
}

/** The payment of a claim that `refuseClaim` permits; without a known merchant, with the fee still in it. */
export function paymentOfClaim(
  { voucher, merchant }: Pick<ClaimFacts, 'voucher' | 'merchant'>,
  amount: Money = voucher.remaining,
): Money {
  const { remaining } = voucher;
  const { feePercent = null } = merchant ?? {};
  if (feePercent === null) return amount;
  const settlement = splitRedemption({ remaining, amount, feePercent });
  return settlement.ok ? settlement.toMerchant : amount;
}

/** A merchant claims for itself; a partner may leave the merchant to the redemption. */
function refusePayee({ voucher, merchant }: ClaimFacts, company: Company): Refusal | undefined {
  if (company.kind === 'merchant' && !isRedeemableBy(voucher, company.id))
    return refuse('voucher-not-found');
  return merchant && !merchant.isActive ? refuse('merchant-not-found') : undefined;
}

/** Refuses an amount that could never be redeemed, so that no useless code is sent. */
function refuseClaimedAmount(
  { voucher, merchant, partialRedemptions, canPay }: ClaimFacts,
  amount: Money | undefined,
  limits: AmountLimits,
): Refusal | undefined {
  const { remaining } = voucher;
  const feePercent = merchant?.feePercent ?? undefined;
  const amountFacts = { remaining, feePercent, partialRedemptions, canPay };
  const isTooMuch =
    feePercent === undefined
      ? amount !== undefined && amount > remaining
      : !splitRedemption({ remaining, amount, feePercent }).ok;
  if (isTooMuch)
    return refuse('amount-exceeds-balance', { detail: describeRedeemable(amountFacts, limits) });
  return refuseAmount(amountFacts, amount, limits);
}

/** Wrong codes over the whole life of a voucher, after which its codes become longer. */
export interface CodeLimits {
  readonly codeAttemptsBeforeLongCodes: number;
}

/** Digits of a verification code: a million codes of six, a hundred million of eight. */
export type CodeDigits = 6 | 8;

/** The length of the next code, given the wrong codes of the voucher. */
export const codeDigits = (wrongCodesOfVoucher: number, limits: CodeLimits): CodeDigits =>
  wrongCodesOfVoucher < limits.codeAttemptsBeforeLongCodes ? 6 : 8;
