import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { OperationOutcome, RefusedRowKind } from '../src/domain/refusals.ts';
import type { Caller } from '../src/domain/vouchers/voucher.ts';

/** How many nudges a workflow follows at once. */
interface NudgeLimit {
  readonly maximumNudges: number;
}

/**
 * Collects nudges; the next waiter takes all of them as one. Each that is followed adds an attempt to the
 * history of the workflow: once `maximum` were, its own pauses decide.
 */
export function createNudges(maximum: number) {
  let isNudged = false;
  let followed = 0;
  return {
    give: (): void => {
      isNudged = true;
    },
    take: (): boolean => {
      const taken = isNudged && followed < maximum;
      isNudged = false;
      if (taken) followed += 1;
      return taken;
    },
  };
}

/** The data of every request that a workflow carries out. */
interface OperationRequest {
  /** Keyed digest of company, kind and idempotency key; random without a key. */
  readonly operationId: string;
  /** Random per HTTP request: distinguishes the first answer from a replayed one. */
  readonly requestId: string;
  /** Keyed digest of the request's content: distinguishes a repetition from a different request. */
  readonly requestDigest: string;
  readonly company: Caller;
}

export interface GenerateVoucherCommand extends OperationRequest {
  readonly denominationId: number;
  readonly merchant: { readonly id: number } | { readonly identifier: string };
  /** E.164; null makes an anonymous voucher. */
  readonly ownerMsisdn: string | null;
  readonly isRestricted: boolean;
  readonly sale: {
    readonly exchangeRate: string | null;
    readonly currency: string | null;
    readonly originatingCountry: string | null;
    readonly foreignCurrencyAmount: string | null;
  };
}

export interface GeneratedVoucher {
  readonly ok: true;
  readonly voucherId: number;
}

/** The cancellation of a voucher by its partner. */
export interface CancelVoucherCommand extends OperationRequest {
  readonly voucherId: number;
}

export interface VoucherCancelled {
  readonly ok: true;
  /** The kept answer leads support to the voucher. */
  readonly voucherId: number;
  /** Decimal string: the value that went back to the gift wallet. */
  readonly returned: string;
}

/** A bulk order; its lines are in the database. */
export interface GenerateBulkInput {
  readonly bulkOrderId: number;
}

/** A partner's request to send the message that an owner may miss once more. */
export interface ResendMessageCommand extends OperationRequest {
  readonly voucherId: number;
}

export interface MessageResent extends ClaimMade {
  readonly kind: 'VERIFICATION_CODE' | 'REDEMPTION_CONFIRMATION';
}

export interface ClaimCommand extends OperationRequest {
  readonly voucherId: number;
  /** Decimal string; null means the whole balance. */
  readonly amount: string | null;
}

export interface ClaimMade {
  readonly ok: true;
  /**
   * At the time of the answer it was not known whether the code was sent. Absent where the provider
   * had taken it.
   */
  readonly sending?: 'unknown';
}

export interface RedeemCommand extends OperationRequest {
  readonly voucherId: number;
  /**
   * Whether the request has an idempotency key; a request without a key joins an identical one that is running.
   */
  readonly hasKey: boolean;
  /** The merchant to be paid; null means the voucher's merchant. */
  readonly merchantId: number | null;
  /** Decimal string, for an anonymous voucher only; null means the whole balance. */
  readonly amount: string | null;
  /** Keyed digest with the voucher's id; a payload never contains a code. */
  readonly verificationCodeDigest: string | null;
  /** The digests of the code under further keys, while keys are rotated. */
  readonly otherCodeDigests?: readonly string[];
  /** E.164 */
  readonly msisdn: string | null;
}

export interface RedemptionMade {
  readonly ok: true;
  /** The mobile-money provider's reference. */
  readonly providerReference: string;
  /** Our reference, for tracking and support. */
  readonly platformReference: string;
}

/** When a provider is asked again. All durations are settings, so that tests need not wait. */
export interface InquiryTiming {
  readonly inquiryIntervalMs: number;
  readonly alarmAfterMs: number;
}

/** When the provider of an order is asked, also because of nudges. */
type OrderTiming = InquiryTiming & NudgeLimit;

/** Durations of a redemption. */
export interface RedemptionTiming extends OrderTiming {
  readonly claimLifetimeMs: number;
  /** The longest wait of a claim's answer for the SMS provider. */
  readonly messageWaitMs: number;
  /** How long the step of a claim waits for the SMS provider. */
  readonly sendingStepMs: number;
}

/**
 * A claim starts its workflow; the redemption of an anonymous voucher starts one without a claim.
 */
export interface RedeemVoucherInput {
  readonly begin:
    | { readonly kind: 'claim'; readonly claim: ClaimCommand }
    | { readonly kind: 'redeem'; readonly redeem: RedeemCommand };
  readonly timing: RedemptionTiming;
}

/** The claim that started the workflow, once its answer is known. */
export const claimResult = defineUpdate<OperationOutcome<ClaimMade>, []>('claim');

/** Redeems; a repeated update id returns the same answer. */
export const redeem = defineUpdate<OperationOutcome<RedemptionMade>, [RedeemCommand]>('redeem');

/** A newer claim of the voucher replaced this one. */
export const superseded = defineSignal<[]>('superseded');

/** The voucher was cancelled, and its claim with it. */
export const voucherCancelled = defineSignal<[]>('voucherCancelled');

/** Support staff ended the claim. */
export const claimReleased = defineSignal<[]>('claimReleased');

/** A top-up to be carried out: its row has the details, so only ids travel. */
export interface TopupCommand extends OperationRequest {
  readonly transactionId: number;
}

/** One more attempt of a failed top-up. */
export interface RetryCommand extends TopupCommand {
  /** The requested attempt: the failed one plus one. */
  readonly attempt: number;
  /** E.164; null means the number of the previous attempt. */
  readonly msisdn: string | null;
  /** Keyed hash of a new number. */
  readonly numberHash?: string | undefined;
}

export interface TopupMade {
  readonly ok: true;
  readonly transactionId: number;
  /** The provider's reference. */
  readonly referenceNumber: string;
}

export interface TopupTiming extends OrderTiming {
  readonly retryWindowMs: number;
}

/** A new top-up starts its workflow; a retry after the window starts it again. */
export interface TopupInput {
  readonly begin:
    | { readonly kind: 'create'; readonly command: TopupCommand }
    | { readonly kind: 'retry'; readonly command: RetryCommand };
  readonly timing: TopupTiming;
}

/** The first attempt of a new top-up, once its outcome is known. */
export const topupResult = defineUpdate<OperationOutcome<TopupMade>, []>('topupResult');

/** Makes one more attempt and answers its outcome. */
export const retryTopup = defineUpdate<OperationOutcome<TopupMade>, [RetryCommand]>('retryTopup');

/** Makes one more attempt for support staff, without an answer and without input. */
export const retry = defineSignal<[]>('retry');

/** A nudge of the provider that the attempt has changed: ask it now. */
export const providerNudge = defineSignal<[]>('providerNudge');

/**
 * The subject that a person must settle. It is a case by its id, or a partner's vouchers that were
 * due by `dueUntil` and cannot expire. Otherwise it is rows that the database refuses to end, or
 * the books.
 */
export type CaseName =
  | { readonly kind: 'case'; readonly id: number }
  | { readonly kind: 'due-vouchers'; readonly partnerId: number; readonly dueUntil: string }
  | {
      readonly kind: 'refused-rows';
      readonly rows: RefusedRowKind;
      readonly ids: readonly string[];
    }
  | { readonly kind: 'books' };

export interface CaseInput {
  readonly name: CaseName;
  /** Interval of the check whether the case is settled. */
  readonly intervalMs: number;
}

/** Checks at once whether a case is settled. */
export const lookAgain = defineSignal<[]>('lookAgain');

/** A merchant whose payout account the providers are asked for. */
export interface CheckPayoutAccountInput {
  readonly merchantId: number;
}

/** The webhook of a company; its row has the address. */
export interface DeliverWebhooksInput {
  readonly endpointId: number;
}

/** There are new deliveries, or old ones are to be sent again. */
export const webhookDue = defineSignal<[]>('webhookDue');

/** A merchant's request to take the payment of a redemption back. */
export interface ReverseRedemptionCommand extends OperationRequest {
  readonly redemptionId: number;
  /** The reason in the words of the merchant. */
  readonly reason: string | null;
}

export interface RedemptionReversed {
  readonly ok: true;
  /** Decimal string: the value that was returned. */
  readonly amount: string;
  /** Where the value went: back to the voucher, or to the partner's gift wallet. */
  readonly creditedTo: 'voucher' | 'gift';
  readonly providerReference: string;
}

export interface ReverseRedemptionInput {
  readonly command: ReverseRedemptionCommand;
  readonly timing: OrderTiming;
}

/** The reversal that started the workflow, once its outcome is known. */
export const reversalResult = defineUpdate<OperationOutcome<RedemptionReversed>, []>(
  'reversalResult',
);

/** The updates that answer the start of their workflow. */
export const answersOfStarts: readonly string[] = [claimResult, topupResult, reversalResult].map(
  ({ name }) => name,
);

/** One more attempt, by the workflow of the top-up. */
export interface RetryCall {
  readonly kind: 'retry-top-up';
  readonly workflowId: string;
  /** Keyed hash of the number that it goes to; undefined for an erased one. */
  readonly numberHash: string | undefined;
  readonly command: RetryCommand;
}

/** The call of a repair outside its own transaction: always the usual way of such an operation. */
export type RepairCall =
  | { readonly kind: 'cancel-voucher'; readonly command: CancelVoucherCommand }
  | { readonly kind: 'resend-message'; readonly command: ResendMessageCommand }
  | { readonly kind: 'reverse-redemption'; readonly command: ReverseRedemptionCommand }
  | RetryCall
  /** The workflow that waits for the provider takes over what a person has decided. */
  | {
      readonly kind: 'settle';
      readonly of: 'redemption' | 'topup' | 'reversal';
      readonly operationId: string;
    };

/** A repair by its row, which has everything else. */
export interface RepairName {
  readonly repairId: number;
  readonly operationId: string;
}

export interface RepairInput extends RepairName {
  readonly timing: OrderTiming;
  /** The address of the pages at /support, to which the operation of the repair links, too. */
  readonly publicUrl: string;
}
