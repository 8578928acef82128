import { type Operator, operatorOf } from '../domain/operator.ts';
import type { TakenStatus } from './accepted-requests.ts';
import type {
  AirtimeBehaviour,
  BooksBehaviour,
  PayoutBehaviour,
  ReversalBehaviour,
  SmsBehaviour,
} from './behaviours.ts';
import { reversalRows, suffixRows } from './scenario-table.ts';

/** The status at the time of the answer, and the one that follows shortly after. */
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
  rowOf(number)?.payout ?? { books: 'completed', answer: 'transaction', callback: 'once' };

const airtimeBehaviour = (number: string): AirtimeBehaviour =>
  rowOf(number)?.airtime ?? { books: 'completed', answer: 'transaction', callback: 'once' };

/** An operator knows only its own numbers. */
const numberOfAnother: AirtimeBehaviour = {
  books: 'failed',
  answer: 'transaction',
  reason: 'INVALID-CREDIT-PARTY',
  callback: 'once',
};

/** The order of a top-up for a number from a product of an operator. */
export const topupBehaviour = (number: string, operator: Operator): AirtimeBehaviour =>
  operatorOf(number) === operator ? airtimeBehaviour(number) : numberOfAnother;

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
