import type { TakenStatus } from './accepted-requests.js';
import { suffixRows } from './scenario-table.js';

/** How the sandbox's Africa's Talking answers about a message, and whether the phone gets it. */
export interface SmsBehaviour {
  readonly isReceived: boolean;
  readonly answer:
    | 'queued'
    | 'invalid-number'
    | 'blacklisted'
    | 'gateway-error'
    | 'rejected'
    | 'internal-error'
    | 'no-recipients'
    | 'connection-dropped'
    | 'unavailable'
    | 'too-many-requests'
    | 'not-authorised';
}

/** What becomes of a payout or a top-up in the provider's books. */
type BooksBehaviour =
  | 'not-taken'
  | 'completed'
  | 'failed'
  | 'pending'
  | 'completed-later'
  | 'reversed-later';

/** What becomes of a payout, and how the sandbox's GSMA API answers. */
export interface PayoutBehaviour {
  readonly books: BooksBehaviour;
  readonly answer:
    | 'transaction'
    | 'transaction-in-pascal-case'
    | 'request-state'
    | 'no-such-account'
    | 'account-barred'
    | 'declined'
    | 'duplicate'
    | 'internal-error'
    | 'connection-dropped'
    | 'unavailable'
    | 'too-many-requests'
    | 'not-authorised';
}

/** What becomes of a top-up, how the sandbox's DT One answers, and how it calls back. */
export interface AirtimeBehaviour {
  readonly books: BooksBehaviour;
  readonly answer:
    | 'transaction'
    | 'transaction-with-pin'
    | 'transaction-in-title-case'
    | 'connection-dropped'
    | 'unavailable'
    | 'too-many-requests'
    | 'not-authorised';
  /** The reason of a failed one, as in DECLINED-INVALID-CREDIT-PARTY. */
  readonly reason?: string;
  readonly callback: 'once' | 'before-the-answer' | 'twice' | 'lost' | 'out-of-order';
}

/** The status that is reached by the time of the answer, and the one that follows shortly after. */
export const firstStatus: Partial<Record<BooksBehaviour, TakenStatus>> = {
  completed: 'completed',
  failed: 'failed',
  'reversed-later': 'completed',
};
export const laterStatus: Partial<Record<BooksBehaviour, TakenStatus>> = {
  'completed-later': 'completed',
  'reversed-later': 'reversed',
};

export interface SuffixRow {
  /** The last two digits of the number. */
  readonly suffix: string;
  readonly meaning: string;
  /** Absent where the suffix means nothing to the service: it then succeeds at once. */
  readonly sms?: SmsBehaviour;
  readonly payout?: PayoutBehaviour;
  readonly airtime?: AirtimeBehaviour;
}

/** By the third digit from the end; other digits add nothing. */
export const delaySecondsByDigit: Readonly<Record<string, number>> = { 1: 3, 2: 20, 3: 300 };

/** How long `shortly` is, before delays are scaled. */
export const shortlySeconds = 2;

const rowOf = (number: string) => suffixRows.find(({ suffix }) => suffix === number.slice(-2));

export const smsBehaviour = (number: string): SmsBehaviour =>
  rowOf(number)?.sms ?? { isReceived: true, answer: 'queued' };

export const payoutBehaviour = (number: string): PayoutBehaviour =>
  rowOf(number)?.payout ?? { books: 'completed', answer: 'transaction' };

export const airtimeBehaviour = (number: string): AirtimeBehaviour =>
  rowOf(number)?.airtime ?? { books: 'completed', answer: 'transaction', callback: 'once' };

/** The delay before the answer that a number asks for, in seconds, unscaled. */
export function delaySecondsOf(number: string): number {
  const [, digit = ''] = /(\d)\d\d$/.exec(number) ?? [];
  return rowOf(number) ? (delaySecondsByDigit[digit] ?? 0) : 0;
}
