import type {
  AirtimeBehaviour,
  PayoutBehaviour,
  ReportBehaviour,
  ReversalRow,
  SmsBehaviour,
  SuffixRow,
} from './behaviours.ts';

const payout = (behaviour: Partial<PayoutBehaviour>): PayoutBehaviour => ({
  books: 'completed',
  answer: 'transaction',
  callback: 'once',
  ...behaviour,
});
const paidLater = (callback: PayoutBehaviour['callback']): PayoutBehaviour =>
  payout({ books: 'completed-later', answer: 'request-state', callback });
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
  topup({ books: 'failed', ...(reason === undefined ? {} : { reason }) });
const toppedUpLater = (callback: AirtimeBehaviour['callback']): AirtimeBehaviour =>
  topup({ books: 'completed-later', callback });

/**
 * The behaviour of each service by number suffix. The table drives the sandbox and its first page
 * shows it. Suffixes about callbacks are about delivery reports for messages.
 */
export const suffixRows: readonly SuffixRow[] = [
  { suffix: '00', meaning: 'success' },
  {
    suffix: '01',
    meaning: 'success (with a PIN, where there is one)',
    airtime: topup({ answer: 'transaction-with-pin' }),
  },
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
    payout: payout({ books: 'completed', answer: 'duplicate' }),
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
    sms: { isReceived: true, answer: 'connection-dropped' },
    payout: payout({ books: 'completed', answer: 'connection-dropped' }),
    airtime: topup({ answer: 'connection-dropped' }),
  },
  {
    suffix: '09',
    meaning: 'does it, then answers 503',
    sms: { isReceived: true, answer: 'unavailable' },
    payout: payout({ books: 'completed', answer: 'unavailable' }),
    airtime: topup({ answer: 'unavailable' }),
  },
  {
    suffix: '10',
    meaning: 'completes unseen by the answer; callback before the answer',
    sms: accepted('before-the-answer'),
    payout: paidLater('before-the-answer'),
    airtime: toppedUpLater('before-the-answer'),
  },
  {
    suffix: '11',
    meaning: 'completes shortly after the answer; callback twice',
    sms: accepted('twice'),
    payout: paidLater('twice'),
    airtime: toppedUpLater('twice'),
  },
  {
    suffix: '12',
    meaning: 'completes shortly after the answer; callback lost',
    sms: accepted('lost'),
    payout: paidLater('lost'),
    airtime: toppedUpLater('lost'),
  },
  {
    suffix: '13',
    meaning: 'completes shortly after the answer; callbacks out of order',
    sms: accepted('out-of-order'),
    payout: paidLater('out-of-order'),
    airtime: toppedUpLater('out-of-order'),
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
    payout: payout({ books: 'reversed-later', answer: 'transaction' }),
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
    suffix: '17',
    meaning: 'success, in the other spelling of enumerations',
    payout: payout({ books: 'completed', answer: 'transaction-in-pascal-case' }),
    airtime: topup({ answer: 'transaction-in-title-case' }),
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
