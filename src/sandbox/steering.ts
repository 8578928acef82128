import { suffixRows } from './suffix-rows.js';

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

/** What becomes of a payout in the provider's books, and how the sandbox's GSMA API answers. */
export interface PayoutBehaviour {
  readonly books:
    | 'not-taken'
    | 'completed'
    | 'failed'
    | 'pending'
    | 'completed-later'
    | 'reversed-later';
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

export interface SuffixRow {
  /** The last two digits of the number. */
  readonly suffix: string;
  readonly meaning: string;
  /** Absent where the suffix means nothing to the service: it then succeeds at once. */
  readonly sms?: SmsBehaviour;
  readonly payout?: PayoutBehaviour;
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

/** The delay before the answer that a number asks for, in seconds, unscaled. */
export function delaySecondsOf(number: string): number {
  const [, digit = ''] = /(\d)\d\d$/.exec(number) ?? [];
  return rowOf(number) ? (delaySecondsByDigit[digit] ?? 0) : 0;
}
