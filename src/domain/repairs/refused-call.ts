import { reasons } from '../reasons.ts';
import { messageOf, quoted, type Refusal } from '../refusals.ts';

type Reason = Refusal['reason'];

/** What staff do instead, where it differs from what partners and merchants do. */
const insteadByReason: Readonly<Partial<Record<Reason, string>>> = {
  'account-suspended': 'Ask an operator whether the company may go on, then ask again.',
  'database-failed': 'Ask again. If it fails again, call an operator.',
  'internal-error': 'Ask again. If it fails again, call an operator.',
  'money-insufficient': 'Ask the partner to deposit, then ask again.',
  'topup-not-failed': 'Read the case: the top-up has ended otherwise.',
  'topup-failed':
    'Compare the number and its operator with the customer, then retry to a number that is right.',
  'topup-delivered-since': 'Tell the customer that it was delivered.',
  'topup-retried-since': 'Read the case: it shows how the other attempt ends.',
  'number-erased': 'Ask the customer for the number, and retry to that one.',
  'number-not-served': 'Ask the customer for a number of another operator, and retry to that one.',
  'operator-mismatch': 'Ask the customer for a number of the operator of the package.',
  'amount-out-of-range': 'Ask the partner to send another top-up with another amount.',
  'voucher-being-redeemed': 'Wait for the end of the payment, or settle it.',
  'nothing-to-resend': 'Ask the merchant to claim: that sends a new code.',
  'resend-too-soon':
    'Ask the owner to look among all messages. If it is not there, ask again in a minute.',
  'messages-exhausted': 'Tomorrow the merchant claims again: that sends a new code.',
  'messages-refused':
    'Compare the number with the owner. If it is right, the merchant claims again in an hour.',
  'company-messages-exhausted':
    'Ask an operator for a higher limit, or let the merchant claim tomorrow.',
  'number-limit-reached': 'The customer waits until tomorrow.',
  'message-not-queued': 'Compare the number with the owner, then ask again.',
};

const insteadByRemedy: Readonly<Record<(typeof reasons)[Reason]['remedy'], string>> = {
  none: 'Read the case: it says what to do next.',
  correct: 'Read the case: it says what to do next.',
  resolve: 'Read the case: it says what to do next.',
  repeat: 'Ask again in a minute.',
  'log-in': 'Ask again in a minute.',
  support: 'Ask an operator to correct the records, then ask again.',
  'claim-again': 'Read the case: it says what to do next.',
  retry: 'Retry it.',
  wait: 'Ask again later.',
};

/** Why the operation of a repair was refused, and what to do instead, as staff read it. */
export const refusedCallWords = ({ reason, detail }: Refusal): string =>
  `${quoted(messageOf(reason, detail))}. ${insteadByReason[reason] ?? insteadByRemedy[reasons[reason].remedy]}`;
