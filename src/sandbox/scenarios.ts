import { type Operator, operatorOf } from '../domain/phone.ts';
import type { TakenStatus } from './requests.ts';

/** How a provider tells a new status of a payout, a top-up or a message. */
export type CallbackCourse = 'once' | 'before-the-answer' | 'twice' | 'lost' | 'out-of-order';

/** The reports of an SMS provider about a message that it has taken. */
export type ReportBehaviour = CallbackCourse | 'late' | 'not-delivered';

/** The answer of the sandbox's SMS providers to a message, and whether the phone receives it. */
export interface SmsBehaviour {
  /** Its delivery reports; once, where it is received, by default. */
  readonly report?: ReportBehaviour;
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

/** The course of a payout or a top-up in the provider's books. */
export type BooksBehaviour =
  | 'not-taken'
  | 'completed'
  | 'failed'
  | 'pending'
  | 'completed-later'
  | 'reversed-later';

/** The course of a payout, the answer of the sandbox's mobile money, and its callbacks. */
export interface PayoutBehaviour {
  readonly books: BooksBehaviour;
  readonly callback: CallbackCourse;
  readonly answer:
    | 'transaction'
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

/** The course of a top-up, the answer of the sandbox's DT One, and its callbacks. */
export interface AirtimeBehaviour {
  readonly books: BooksBehaviour;
  readonly answer:
    | 'transaction'
    | 'connection-dropped'
    | 'unavailable'
    | 'too-many-requests'
    | 'not-authorised';
  /** The reason of a failure, as in DECLINED-INVALID-CREDIT-PARTY. */
  readonly reason?: string;
  readonly callback: CallbackCourse;
}

/** The course of a payout's reversal, and the answer of the sandbox's GSMA API. */
interface ReversalBehaviour {
  readonly books: 'not-taken' | 'completed' | 'failed' | 'pending' | 'completed-later';
  readonly answer: 'transaction' | 'request-state' | 'declined' | 'connection-dropped';
}

/** The scenario of a reversal: the last two digits of the number that was paid. */
interface ReversalRow {
  readonly suffix: string;
  readonly meaning: string;
  readonly reversal: ReversalBehaviour;
}

/** The scenario of the last two digits of a number. */
export interface SuffixRow {
  /** The last two digits of the number. */
  readonly suffix: string;
  readonly meaning: string;
  /** Absent where the suffix has no effect on the service: it succeeds at once. */
  readonly sms?: SmsBehaviour;
  readonly payout?: PayoutBehaviour;
  readonly airtime?: AirtimeBehaviour;
}

const payout = (behaviour: Partial<PayoutBehaviour>): PayoutBehaviour => ({
  books: 'completed',
  answer: 'transaction',
  callback: 'once',
  ...behaviour,
});
const notReceived = (answer: SmsBehaviour['answer']): SmsBehaviour => ({
  isReceived: false,
  answer,
});
const accepted = (report: ReportBehaviour): SmsBehaviour => ({
  isReceived: report !== 'not-delivered',
  answer: 'queued',
  report,
});
const notTaken = (answer: PayoutBehaviour['answer']): PayoutBehaviour =>
  payout({ books: 'not-taken', answer });
const topup = (behaviour: Partial<AirtimeBehaviour>): AirtimeBehaviour => ({
  books: 'completed',
  answer: 'transaction',
  callback: 'once',
  ...behaviour,
});
const declined = (reason?: string): AirtimeBehaviour =>
  topup({ books: 'failed', ...(reason !== undefined && { reason }) });

/** It completes after the answer; a message has such reports. */
const completedLater = (callback: CallbackCourse) => ({
  sms: accepted(callback),
  payout: payout({ books: 'completed-later', answer: 'request-state', callback }),
  airtime: topup({ books: 'completed-later', callback }),
});

/** It is done, and the answer does not say so. */
const doneUnsaid = (answer: 'connection-dropped' | 'unavailable') => ({
  sms: { isReceived: true, answer },
  payout: payout({ answer }),
  airtime: topup({ answer }),
});

/**
 * The behaviour of each service by number suffix. The table drives the sandbox and its first page
 * shows it. Suffixes about callbacks are about delivery reports for messages.
 */
export const suffixRows: readonly SuffixRow[] = [
  { suffix: '00', meaning: 'success' },
  {
    suffix: '02',
    meaning: 'refused: invalid number',
    sms: notReceived('invalid-number'),
    payout: notTaken('no-such-account'),
    airtime: declined('INVALID-CREDIT-PARTY'),
  },
  {
    suffix: '03',
    meaning: 'refused: barred',
    sms: notReceived('blacklisted'),
    payout: notTaken('account-barred'),
    airtime: declined('BARRED-CREDIT-PARTY'),
  },
  {
    suffix: '04',
    meaning: 'refused: operator unavailable',
    sms: notReceived('gateway-error'),
    payout: payout({ books: 'failed', answer: 'request-state' }),
    airtime: declined('OPERATOR-CURRENTLY-UNAVAILABLE'),
  },
  {
    suffix: '05',
    meaning: 'calls it a duplicate: a payout is made, a top-up is refused',
    payout: payout({ answer: 'duplicate' }),
    airtime: declined('DUPLICATED-TRANSACTION'),
  },
  {
    suffix: '06',
    meaning: 'refused: declined',
    sms: notReceived('rejected'),
    payout: notTaken('declined'),
    airtime: declined(),
  },
  {
    suffix: '07',
    meaning: 'exception: fails inside the provider',
    sms: notReceived('internal-error'),
    payout: payout({ books: 'failed', answer: 'internal-error' }),
    airtime: declined('EXCEPTION'),
  },
  {
    suffix: '08',
    meaning: 'does it, then drops the connection',
    ...doneUnsaid('connection-dropped'),
  },
  {
    suffix: '09',
    meaning: 'does it, then answers 503',
    ...doneUnsaid('unavailable'),
  },
  {
    suffix: '10',
    meaning: 'completes unseen by the answer; callback before the answer',
    ...completedLater('before-the-answer'),
  },
  {
    suffix: '11',
    meaning: 'completes shortly after the answer; callback twice',
    ...completedLater('twice'),
  },
  {
    suffix: '12',
    meaning: 'completes shortly after the answer; callback lost',
    ...completedLater('lost'),
  },
  {
    suffix: '13',
    meaning: 'completes shortly after the answer; callbacks out of order',
    ...completedLater('out-of-order'),
  },
  {
    suffix: '14',
    meaning: 'stays pending until somebody settles it',
    sms: accepted('late'),
    payout: payout({ books: 'pending', answer: 'request-state' }),
    airtime: topup({ books: 'pending' }),
  },
  {
    suffix: '15',
    meaning: 'completes, is reversed shortly after; a message is accepted, then not delivered',
    sms: accepted('not-delivered'),
    payout: payout({ books: 'reversed-later' }),
    airtime: topup({ books: 'reversed-later' }),
  },
  {
    suffix: '16',
    meaning: 'too many requests, with Retry-After',
    sms: notReceived('too-many-requests'),
    payout: notTaken('too-many-requests'),
    airtime: topup({ books: 'not-taken', answer: 'too-many-requests' }),
  },
  {
    suffix: '18',
    meaning: '401 as text/plain',
    sms: notReceived('not-authorised'),
    payout: notTaken('not-authorised'),
    airtime: topup({ books: 'not-taken', answer: 'not-authorised' }),
  },
  { suffix: '19', meaning: '201 without a recipient', sms: notReceived('no-recipients') },
];

/**
 * The reversals of payouts that succeeded, by the number that was paid. The third digit delays the
 * answer to the reversal, not to the payout.
 */
export const reversalRows: readonly ReversalRow[] = [
  {
    suffix: '20',
    meaning: 'refused: declined',
    reversal: { books: 'not-taken', answer: 'declined' },
  },
  {
    suffix: '21',
    meaning: 'reverses, then drops the connection',
    reversal: { books: 'completed', answer: 'connection-dropped' },
  },
  {
    suffix: '22',
    meaning: 'reverses shortly after the answer',
    reversal: { books: 'completed-later', answer: 'request-state' },
  },
  {
    suffix: '23',
    meaning: 'stays pending until somebody settles it',
    reversal: { books: 'pending', answer: 'request-state' },
  },
  {
    suffix: '24',
    meaning: 'refused after it was accepted',
    reversal: { books: 'failed', answer: 'request-state' },
  },
  {
    suffix: '25',
    meaning: 'reverses; a third digit makes the answer late',
    reversal: { books: 'completed', answer: 'transaction' },
  },
];

/** The status at the time of the answer, and the status shortly after. */
export const firstStatus: Partial<Record<BooksBehaviour, TakenStatus>> = {
  completed: 'completed',
  failed: 'failed',
  'reversed-later': 'completed',
};
export const laterStatus: Partial<Record<BooksBehaviour, TakenStatus>> = {
  'completed-later': 'completed',
  'reversed-later': 'reversed',
};

/** By the third digit from the end; other digits add no delay. */
export const delaySecondsByDigit: Readonly<Record<string, number>> = { 1: 3, 2: 20, 3: 300 };

/** Duration of `shortly` before scaling. */
export const shortlySeconds = 2;

/** Time before a late delivery report, before scaling. */
export const lateSeconds = 300;

const rowOf = (number: string) => suffixRows.find(({ suffix }) => suffix === number.slice(-2));

export const smsBehaviour = (number: string): SmsBehaviour =>
  rowOf(number)?.sms ?? { isReceived: true, answer: 'queued' };

export const payoutBehaviour = (number: string): PayoutBehaviour =>
  rowOf(number)?.payout ?? payout({});

/** The order of a top-up for a number from a product of a mobile operator, which knows only its own. */
export const topupBehaviour = (number: string, operator: Operator): AirtimeBehaviour =>
  operatorOf(number) === operator
    ? (rowOf(number)?.airtime ?? topup({}))
    : declined('INVALID-CREDIT-PARTY');

const reversalRowOf = (number: string) =>
  reversalRows.find(({ suffix }) => suffix === number.slice(-2));

/** The reversal of a payout to a number. */
export const reversalBehaviour = (number: string): ReversalBehaviour =>
  reversalRowOf(number)?.reversal ?? { books: 'completed', answer: 'transaction' };

const delayOf = (number: string): number => {
  const [, digit = ''] = /(\d)\d\d$/.exec(number) ?? [];
  return delaySecondsByDigit[digit] ?? 0;
};

/** The delay before the answer to a number, in seconds before scaling. */
export const delaySecondsOf = (number: string): number => (rowOf(number) ? delayOf(number) : 0);

/** The delay before the answer to the reversal of a payout to a number. */
export const reversalDelaySecondsOf = (number: string): number =>
  reversalRowOf(number) ? delayOf(number) : 0;
