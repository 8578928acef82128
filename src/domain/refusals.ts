import { type Operation, type Remedy, reasons, type Surface } from './reasons.ts';

export type { Operation, ReasonRow, Surface } from './reasons.ts';

export type Reason = keyof typeof reasons;

/** Why a request was not carried out. A plain value, so that workflows can return it. */
export interface Refusal {
  readonly ok: false;
  readonly reason: Reason;
  /** Detail of this case; safe to show to the caller. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
  /** Id of a failed top-up that can be retried. */
  readonly transactionId?: number;
}

/**
 * The outcome of an operation: the result, and the request that it belongs to. A refusal is a
 * value, too; exceptions are for infrastructure.
 */
export interface OperationOutcome<Result> {
  readonly requestId: string;
  readonly requestDigest: string;
  readonly result: Result | Refusal;
}

/** An operation that has its outcome already, so that nothing is done for it. */
export interface AnsweredOperation<Result> {
  readonly kind: 'answered';
  readonly outcome: OperationOutcome<Result>;
}

export const answered = <Result>(outcome: OperationOutcome<Result>): AnsweredOperation<Result> => ({
  kind: 'answered',
  outcome,
});

/** Whether a refusal is stored as the answer to identical requests: else a repetition runs again. */
export const isFinal = ({ reason }: Refusal): boolean => reasons[reason].isFinal ?? false;

/** Builds a refusal. */
export const refuse = (reason: Reason, extras: Omit<Refusal, 'ok' | 'reason'> = {}): Refusal => ({
  ok: false,
  reason,
  ...extras,
});

/**
 * The statusCode of the body for a reason; some have four digits on the merchant surface. A reason
 * that the operation does not document answers 500, because the caller cannot act on it.
 */
export function statusCodeOf(reason: Reason, surface: Surface, operation?: Operation): number {
  const row = reasons[reason];
  const cell = operation && row[surface]?.[operation];
  return cell ?? row.everywhere ?? 500;
}

/** The HTTP status of a statusCode: its first three digits. */
export const httpStatusOf = (statusCode: number): number =>
  statusCode > 999 ? Math.floor(statusCode / 10) : statusCode;

/** The message of the reason, with the detail of this case. */
export const messageOf = (reason: Reason, detail?: string): string =>
  detail ? `${reasons[reason].message}: ${detail}` : reasons[reason].message;

const remedies: Readonly<Record<Remedy, string>> = {
  none: 'Nothing: a repeated request is refused, too',
  correct: 'Correct the request',
  resolve: 'Remove the cause, then repeat the same request',
  repeat: 'Repeat the same request',
  'log-in': 'Log in again, then repeat the same request with the new token',
  retry: 'Retry the top-up by its `transactionId`; the same request gets the same answer',
  support: 'Contact support, then repeat the same request',
  'claim-again':
    'The voucher has its value again: initiate a new claim, or redeem an anonymous voucher again under another ' +
    'idempotency key; the same request gets the same answer',
  wait: 'Wait as long as `Retry-After` says, then repeat',
};

/** The action of the caller after a refusal: a sentence in Markdown, without its full stop. */
export const remedyOf = (reason: Reason): string => remedies[reasons[reason].remedy];

/** Somebody's message without its final punctuation, for a sentence of ours. */
export const quoted = (words: string): string => words.replace(/[.\s]+$/, '');

/** Rows that an expiry run ends one by one where the database refuses their batch. */
export type RefusedRowKind = 'claim' | 'top-up' | 'retry' | 'reminder';
