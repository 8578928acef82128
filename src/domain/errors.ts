import { type Operation, type ReasonRow, reasons, type Surface } from './reasons.js';

export type { Operation, ReasonRow, Surface } from './reasons.js';

export type Reason = keyof typeof reasons;

/** A request that was not done, and why; a plain value, so that it can cross a workflow. */
export interface Refusal {
  readonly ok: false;
  readonly reason: Reason;
  /** What is particular about this case, safe to show to the caller. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
  /** Of a top-up that failed after it had begun. */
  readonly transactionId?: number;
}

/**
 * Whether a refusal from before any hold is the answer to the identical request from then on. What is
 * to be repeated or waited for is not: its repetition is carried out anew.
 */
export const isRemembered = ({ reason }: Refusal): boolean =>
  !['repeat', 'wait'].includes(reasons[reason].remedy);

/** Builds a refusal. */
export const refuse = (reason: Reason, extras: Omit<Refusal, 'ok' | 'reason'> = {}): Refusal => ({
  ok: false,
  reason,
  ...extras,
});

/**
 * The statusCode of the body for a reason: four digits for some on the merchant surface. A reason
 * that the operation is not documented to have answers 500: a caller can act on nothing else.
 */
export function statusCodeOf(reason: Reason, surface: Surface, operation?: Operation): number {
  const row: ReasonRow = reasons[reason];
  const cell = operation && row[surface]?.[operation];
  return cell ?? row.everywhere ?? 500;
}

/** The HTTP status that goes with a statusCode: its first three digits (design 3). */
export const httpStatusOf = (statusCode: number): number =>
  statusCode > 999 ? Math.floor(statusCode / 10) : statusCode;

/** The sentence for people: the row's message, and what is particular about this case. */
export const messageOf = (reason: Reason, detail?: string): string =>
  detail ? `${reasons[reason].message}: ${detail}` : reasons[reason].message;
