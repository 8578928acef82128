import { reasons } from '../../src/domain/reasons.ts';
import { isFinal, type Reason, refuse } from '../../src/domain/refusals.ts';

/** What came back, its body as the bytes had it; or why nothing did. */
export type CallResponse =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'lost'; readonly why: string };

/** What a caller knows after an answer, or without one. */
export type Outcome =
  | { readonly kind: 'done' }
  /** Refused, and nothing stays of it. `isBound`: the same request gets this answer for ever. */
  | { readonly kind: 'refused'; readonly reason: Reason; readonly isBound: boolean }
  /** It did not get as far as being looked at, which says nothing of earlier sendings. */
  | { readonly kind: 'unheard'; readonly why: string }
  /** It may have been done or not; the same request under the same key will tell. */
  | { readonly kind: 'open'; readonly why: string };

/** An answer's body, as far as the run looks into it. */
export interface AnswerBody {
  readonly success: boolean;
  readonly statusCode: number;
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: every endpoint has data of its own.
  readonly data: any;
}

/** Reasons after which the caller cannot know whether its request is being carried out. */
const OPEN: readonly Reason[] = [
  'still-processing',
  'redemption-in-progress',
  'unavailable',
  'internal-error',
];

/** Said at the door, whatever was asked for. */
const AT_THE_DOOR: readonly Reason[] = [
  'account-suspended',
  'api-key-invalid',
  'token-invalid',
  'address-not-registered',
  'too-many-requests',
];

/** A bulk order in its answer, whose progress follows the id. */
const BULK_ORDER = /("bulkOrder":\{"id":\d+)[^}]*/;

/**
 * An answer as it was told first: the reason of a top-up's failure and the progress of a bulk order are
 * of the moment, and all else of an answer stays.
 */
export const asFirstTold = (text: string): string =>
  (['topup-delivered-since', 'topup-retried-since'] as const).reduce(
    (told, reason) =>
      told
        .replace(reasons[reason].message, reasons['topup-failed'].message)
        .replace(`"reason":"${reason}"`, '"reason":"topup-failed"'),
    text.replace(BULK_ORDER, '$1'),
  );

/** The longest message first, since one may begin like another. */
const byMessage = (Object.keys(reasons) as Reason[]).sort(
  (one, other) => reasons[other].message.length - reasons[one].message.length,
);

/** Reads the body; undefined where it is none of the service's. */
export function bodyOf(response: CallResponse): AnswerBody | undefined {
  if (response.kind === 'lost') return undefined;
  try {
    const body = JSON.parse(response.text);
    const isReadable =
      typeof body.success === 'boolean' &&
      typeof body.message === 'string' &&
      typeof body.statusCode === 'number';
    return isReadable ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Judges what came back as a careful caller would. */
export function outcomeOf(response: CallResponse): Outcome {
  if (response.kind === 'lost')
    return response.why === 'ECONNREFUSED'
      ? { kind: 'unheard', why: 'not-connected' }
      : { kind: 'open', why: 'lost' };
  const body = bodyOf(response);
  if (!body) return { kind: 'open', why: 'unreadable' };
  if (body.success) {
    // A top-up that is accepted has a number and no status yet.
    const isAccepted = body.data?.transactionId !== undefined && body.data.status === undefined;
    return isAccepted ? { kind: 'open', why: 'processing' } : { kind: 'done' };
  }
  const reason = byMessage.find((one) => body.message.startsWith(reasons[one].message));
  if (!reason) return { kind: 'open', why: 'no-reason' };
  if (OPEN.includes(reason)) return { kind: 'open', why: reason };
  if (AT_THE_DOOR.includes(reason)) return { kind: 'unheard', why: reason };
  return { kind: 'refused', reason, isBound: isFinal(refuse(reason)) };
}
