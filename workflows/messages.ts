import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Refusal } from '../src/domain/errors.js';
import type { Caller } from '../src/domain/voucher.js';

/** What every request that is carried out by a workflow brings along (design 6). */
interface OperationRequest {
  /** Keyed digest of company, kind and idempotency key; random without a key. */
  readonly operationId: string;
  /** Random per HTTP request: tells the first answer from a replayed one. */
  readonly requestId: string;
  /** Keyed digest of the request's content: tells a repetition from another request. */
  readonly requestDigest: string;
  /** Of the same content under the rules of earlier versions, for what was stored under them. */
  readonly earlierDigests?: readonly string[];
  readonly company: Caller;
}

/**
 * How an operation ended, whoever asked first: the request that it belongs to, and the result. The
 * result is a value on refusals too; exceptions are for infrastructure.
 */
export interface OperationOutcome<Result> {
  readonly requestId: string;
  readonly requestDigest: string;
  readonly result: Result | Refusal;
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

export interface ClaimCommand extends OperationRequest {
  readonly voucherId: number;
  /** Decimal string; null is the whole balance. */
  readonly amount: string | null;
}

export interface ClaimMade {
  readonly ok: true;
}

export interface RedeemCommand extends OperationRequest {
  readonly voucherId: number;
  /** Whether the request brought an idempotency key; one without joins its like (design 6). */
  readonly hasKey: boolean;
  /** The merchant to be paid; null is the one given at generation. */
  readonly merchantId: number | null;
  /** Decimal string, of an anonymous voucher only; null is the whole balance. */
  readonly amount: string | null;
  /** Keyed digest with the voucher's id; a code itself never enters a payload. */
  readonly verificationCodeDigest: string | null;
  /** E.164 */
  readonly msisdn: string | null;
}

export interface RedemptionMade {
  readonly ok: true;
  /** The mobile-money provider's reference. */
  readonly providerReference: string;
  /** The service's own reference, for tracking and support. */
  readonly platformReference: string;
}

/** Whether a workflow compares what results name; those that began before do not. */
interface NamedResults {
  readonly resultsAreNamed?: boolean;
}

/** Durations of a redemption, all settings, so that tests need not wait. */
export interface RedemptionTiming extends NamedResults {
  readonly claimLifetimeMs: number;
  /** The longest a claim's answer waits for the SMS provider. */
  readonly messageWaitMs: number;
  readonly inquiryIntervalMs: number;
  readonly alarmAfterMs: number;
}

/** A claim starts its workflow; an anonymous voucher's redemption starts one without a claim. */
export interface RedeemVoucherInput {
  readonly begin:
    | { readonly kind: 'claim'; readonly claim: ClaimCommand }
    | { readonly kind: 'redeem'; readonly redeem: RedeemCommand };
  readonly timing: RedemptionTiming;
}

/** The claim that started the workflow, as soon as its answer is known. */
export const claimResult = defineUpdate<OperationOutcome<ClaimMade>, []>('claim');

/** Redeems; repeated with the same update id it gives the same answer. */
export const redeem = defineUpdate<OperationOutcome<RedemptionMade>, [RedeemCommand]>('redeem');

/** A newer claim of the same voucher has taken this one's place. */
export const superseded = defineSignal<[]>('superseded');

/** A top-up that is carried out: what was asked for is in its row, so only ids travel. */
export interface TopUpCommand extends OperationRequest {
  readonly transactionId: number;
}

/** One more attempt of a failed top-up. */
export interface RetryCommand extends TopUpCommand {
  /** The attempt that is to be made: one more than the failed one. */
  readonly attempt: number;
  /** E.164; null is the number of the attempt before. */
  readonly msisdn: string | null;
}

export interface TopUpMade {
  readonly ok: true;
  readonly transactionId: number;
  /** The provider's reference. */
  readonly referenceNumber: string;
}

export interface TopUpTiming extends NamedResults {
  readonly retryWindowMs: number;
  readonly inquiryIntervalMs: number;
  readonly alarmAfterMs: number;
}

/** A new top-up starts its workflow; a retry starts it anew after its window has closed. */
export interface TopUpInput {
  readonly begin:
    | { readonly kind: 'create'; readonly command: TopUpCommand }
    | { readonly kind: 'retry'; readonly command: RetryCommand };
  readonly timing: TopUpTiming;
}

/** The first attempt of a new top-up, as soon as it is known how it ended. */
export const topUpResult = defineUpdate<OperationOutcome<TopUpMade>, []>('topUpResult');

/** Makes one more attempt and answers how it ended. */
export const retryTopUp = defineUpdate<OperationOutcome<TopUpMade>, [RetryCommand]>('retryTopUp');

/** The same for support staff, without an answer and without input. */
export const retry = defineSignal<[]>('retry');

/** The provider has hinted that there is news of the attempt: look again. */
export const providerHint = defineSignal<[]>('providerHint');

/** A message that its workflow left behind; what it says is in the database. */
export interface FinishMessageInput {
  readonly messageId: number;
}

/** An invitation, which is in its row: who is invited never travels. */
export interface InviteMerchantInput {
  readonly invitationId: string;
  readonly merchantId: number;
  /** How long its link works. */
  readonly lifetimeMs: number;
}

/** The link was used, or a newer invitation has taken its place: look. */
export const invitationSettled = defineSignal<[]>('invitationSettled');

/**
 * What a person must settle: about one payment, by our reference of it; about a partner's vouchers that
 * were due by `dueUntil` and cannot expire; or about the books.
 */
export type CaseName =
  | {
      readonly kind: 'late-success' | 'reversal' | 'disagreement' | 'unbooked';
      readonly reference: string;
    }
  | { readonly kind: 'due-vouchers'; readonly partnerId: number; readonly dueUntil: string }
  | { readonly kind: 'books' };

export interface CaseInput {
  readonly name: CaseName;
  /** How often it is looked whether the case has been settled. */
  readonly intervalMs: number;
}

/** Looks at once whether a case has been settled. */
export const lookAgain = defineSignal<[]>('lookAgain');
