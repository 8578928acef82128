import type { LedgerTransfer } from '../../db/ledger/ledger-history.js';
import { REVERSAL_SETTLEMENT } from '../../domain/statement-labels.js';
import { type Html, html } from '../../process/html.js';
import { amount } from './money.js';
import { table, time } from './parts.js';

/** What a transfer means to the partner whose money it is: "debited account > credited account". */
const words: Readonly<Record<string, string>> = {
  'gift > reserved': 'Out of the gift wallet, reserved for the voucher',
  'reserved > gift-hold': 'On hold, to be paid to the merchant',
  'gift-hold > mobile-money-clearing': 'Paid to the merchant',
  'gift-hold > service-fees': 'Service fee',
  'gift-hold > reserved': 'Not paid: back from hold, the voucher has it again',
  'reserved > gift': 'What was left, back in the gift wallet',
  'airtime > airtime-hold': 'Out of the airtime wallet, on hold',
  'airtime-hold > airtime-clearing': 'Charged: it was delivered',
  'airtime-hold > airtime': 'Not delivered: back in the airtime wallet',
  'suspense > mobile-money-clearing':
    'The provider paid after it had refused; nothing was taken from your wallet',
  'suspense > airtime-clearing':
    'The provider delivered after it had refused; nothing was taken from your wallet',
  'gift > suspense': 'Paid after all, as agreed, out of the gift wallet',
  'airtime > suspense': 'Paid after all, as agreed, out of the airtime wallet',
  'service-fees > suspense': 'Settled: the service bears what was done late',
  'mobile-money-clearing > suspense': 'The provider has taken its payment back',
  'airtime-clearing > suspense': 'The provider has taken its delivery back',
  'suspense > gift': 'Given back, in the gift wallet again',
  'service-fees > gift': 'Service fee given back, in the gift wallet again',
  'suspense > airtime': 'Given back, in the airtime wallet again',
  'suspense > service-fees': 'Settled: the service keeps what was taken back',
};

/** Where the same accounts have another meaning when what was taken back is settled. */
const wordsOfReversals: Readonly<Record<string, string>> = {
  'suspense > mobile-money-clearing': 'Settled: the provider has paid it again',
  'suspense > airtime-clearing': 'Settled: the provider has delivered it again',
};

function wordsOf({ debit, credit, step }: LedgerTransfer): string {
  const accounts = `${debit} > ${credit}`;
  const ofReversal = step === REVERSAL_SETTLEMENT ? wordsOfReversals[accounts] : undefined;
  return ofReversal ?? words[accounts] ?? `From ${debit} to ${credit}`;
}

/** Transfers as a table that says what each was for. */
export const ledgerHistory = (moves: readonly LedgerTransfer[]): Html =>
  html`${table('How the money moved', moves, [
    { title: 'When', value: ({ at }) => time(at) },
    { title: 'What', value: wordsOf },
    { title: 'ETB', value: ({ amount: moved }) => amount(moved), align: 'right' },
  ])}`;
