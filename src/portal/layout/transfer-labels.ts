import type { LedgerTransfer } from '../../db/ledger/ledger-history.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { amount } from './money.ts';
import { table, time } from './parts.ts';

/**
 * Labels of transfers for the partner that owns the money: "debited account > credited account".
 */
const words: Readonly<Record<string, string>> = {
  'gift > reserved': 'From the gift wallet, reserved for the voucher',
  'reserved > gift-hold': 'On hold for the payment to the merchant',
  'gift-hold > mobile-money-clearing': 'Paid to the merchant',
  'gift-hold > service-fees': 'Service fee',
  'gift-hold > reserved': 'Not paid: the hold was released to the voucher',
  'mobile-money-clearing > reserved': 'Payment reversed: on the voucher again',
  'service-fees > reserved': 'Service fee of the reversed payment',
  'mobile-money-clearing > gift': 'Payment reversed: returned to the gift wallet',
  'reserved > gift': 'Remaining value returned to the gift wallet',
  'airtime > airtime-hold': 'From the airtime wallet, on hold',
  'airtime-hold > airtime-clearing': 'Delivered and charged',
  'airtime-hold > airtime': 'Not delivered: returned to the airtime wallet',
  'suspense > mobile-money-clearing': 'The provider paid; nobody was charged for it',
  'suspense > airtime-clearing': 'The provider delivered; nobody was charged for it',
  'reserved > suspense': 'Late payment charged to the voucher, as agreed',
  'reserved > service-fees': 'Service fee of the late payment',
  'gift > suspense': 'Late payment charged to the gift wallet, as agreed',
  'gift > service-fees': 'Service fee of the late payment',
  'airtime > suspense': 'Late delivery charged to the airtime wallet, as agreed',
  'service-fees > suspense': 'Settled: the service bears the cost',
  'mobile-money-clearing > suspense': 'The provider reversed the payment',
  'airtime-clearing > suspense': 'The provider reversed the delivery',
  'suspense > reserved': 'Payment taken back: on the voucher again',
  'suspense > gift': 'Returned to the gift wallet',
  'service-fees > gift': 'Service fee returned to the gift wallet',
  'suspense > airtime': 'Returned to the airtime wallet',
  'suspense > service-fees': 'Settled: the service keeps the reversed amount',
};

const wordsOf = ({ debit, credit }: LedgerTransfer): string =>
  words[`${debit} > ${credit}`] ?? `From ${debit} to ${credit}`;

/** A table of transfers with the purpose of each. */
export const ledgerHistory = (moves: readonly LedgerTransfer[]): Html =>
  html`${table('How the money moved', moves, [
    { title: 'When', phone: 'plain', value: ({ at }) => time(at) },
    { title: 'What', phone: 'head', value: (move) => phrase(wordsOf(move)) },
    {
      title: 'ETB',
      phone: 'figure etb',
      value: ({ amount: moved }) => amount(moved),
      align: 'right',
    },
  ])}`;
