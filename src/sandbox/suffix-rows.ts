import type { PayoutBehaviour, SmsBehaviour, SuffixRow } from './steering.js';

const paidLater: PayoutBehaviour = { books: 'completed-later', answer: 'request-state' };
const notReceived = (answer: SmsBehaviour['answer']): SmsBehaviour => ({
  isReceived: false,
  answer,
});
const notTaken = (answer: PayoutBehaviour['answer']): PayoutBehaviour => ({
  books: 'not-taken',
  answer,
});

/**
 * Which suffix does what to which service: this table drives the sandbox and is shown on its first
 * page. Suffixes that are about callbacks end as the same payment does when it is polled for.
 */
export const suffixRows: readonly SuffixRow[] = [
  { suffix: '00', meaning: 'success' },
  { suffix: '01', meaning: 'success (with a PIN, where there is one)' },
  {
    suffix: '02',
    meaning: 'refused: invalid number',
    sms: notReceived('invalid-number'),
    payout: notTaken('no-such-account'),
  },
  {
    suffix: '03',
    meaning: 'refused: barred',
    sms: notReceived('blacklisted'),
    payout: notTaken('account-barred'),
  },
  {
    suffix: '04',
    meaning: 'refused: operator unavailable',
    sms: notReceived('gateway-error'),
    payout: { books: 'failed', answer: 'request-state' },
  },
  {
    suffix: '05',
    meaning: 'does it, then calls it a duplicate',
    payout: { books: 'completed', answer: 'duplicate' },
  },
  {
    suffix: '06',
    meaning: 'refused: declined',
    sms: notReceived('rejected'),
    payout: notTaken('declined'),
  },
  {
    suffix: '07',
    meaning: 'exception: fails with an internal error',
    sms: notReceived('internal-error'),
    payout: { books: 'failed', answer: 'internal-error' },
  },
  {
    suffix: '08',
    meaning: 'does it, then drops the connection',
    sms: { isReceived: true, answer: 'connection-dropped' },
    payout: { books: 'completed', answer: 'connection-dropped' },
  },
  {
    suffix: '09',
    meaning: 'does it, then answers 503',
    sms: { isReceived: true, answer: 'unavailable' },
    payout: { books: 'completed', answer: 'unavailable' },
  },
  { suffix: '10', meaning: 'completes shortly after the answer', payout: paidLater },
  { suffix: '11', meaning: 'completes shortly after the answer', payout: paidLater },
  { suffix: '12', meaning: 'completes shortly after the answer', payout: paidLater },
  { suffix: '13', meaning: 'completes shortly after the answer', payout: paidLater },
  {
    suffix: '14',
    meaning: 'stays pending until somebody settles it',
    payout: { books: 'pending', answer: 'request-state' },
  },
  {
    suffix: '15',
    meaning: 'completes, is reversed shortly after',
    payout: { books: 'reversed-later', answer: 'transaction' },
  },
  {
    suffix: '16',
    meaning: 'too many requests, with Retry-After',
    sms: notReceived('too-many-requests'),
    payout: notTaken('too-many-requests'),
  },
  {
    suffix: '17',
    meaning: 'success, in the other spelling of enumerations',
    payout: { books: 'completed', answer: 'transaction-in-pascal-case' },
  },
  {
    suffix: '18',
    meaning: '401 as text/plain',
    sms: notReceived('not-authorised'),
    payout: notTaken('not-authorised'),
  },
  { suffix: '19', meaning: '201 without a recipient', sms: notReceived('no-recipients') },
];
