import { statusOf, type TakenRequest } from '../accepted-requests.ts';
import type { Books, PaidIn, Payout, PayoutReversal, Topup } from '../books.ts';
import { PAYOUT_FEE } from './payout-fee.ts';

/** The payouts and reversals of a provider as its statements list them, newest first. */
export const listedPayouts = (books: Books, provider: string): (Payout | PayoutReversal)[] =>
  books.statementFaults.listed<Payout | PayoutReversal>(
    [...books.allPayouts(provider), ...books.allReversals(provider)],
    (taken) => ({ ...taken, transactionReference: `${taken.transactionReference}-2` }),
  );

/** What we paid into our account at a provider. */
export const listedPaidIn = (books: Books, provider: string): PaidIn[] =>
  books.paidIn.filter((one) => one.provider === provider);

/** The top-ups of a provider as its statements list them, newest first. */
export const listedTopups = (books: Books, provider: string): Topup[] =>
  books.statementFaults.listed(books.allTopups(provider), (taken) => ({
    ...taken,
    // Another number of as many digits.
    transactionId: String(Number(taken.transactionId) - 1e15),
  }));

/** A transaction of a statement, for all providers. */
export interface ListedTransaction {
  readonly kind: 'payment' | 'charge' | 'reversal' | 'top-up' | 'paid-in';
  /** Where the provider tells further ones apart. */
  readonly type?: string;
  readonly id: string;
  /** Of a reversal: the id of its payout. */
  readonly originalId: string;
  readonly fee: string;
  readonly taken: TakenRequest;
}

const topupsOf =
  (provider: string) =>
  (books: Books): ListedTransaction[] =>
    listedTopups(books, provider).map((taken) => ({
      kind: 'top-up',
      id: taken.transactionId,
      originalId: '',
      fee: '',
      taken,
    }));

/** What a provider did. */
export const transactionsOf: Readonly<Record<string, (books: Books) => ListedTransaction[]>> = {
  gsma: (books) => [
    ...listedPayouts(books, 'gsma').map(
      (taken): ListedTransaction => ({
        kind: 'original' in taken ? 'reversal' : 'payment',
        id: taken.transactionReference,
        originalId: 'original' in taken ? taken.original.transactionReference : '',
        fee: 'original' in taken ? '' : PAYOUT_FEE,
        taken,
      }),
    ),
    ...listedPaidIn(books, 'gsma').map(
      (taken): ListedTransaction => ({
        ...{ kind: 'paid-in', type: taken.type, id: taken.transactionReference },
        ...{ originalId: '', fee: '', taken },
      }),
    ),
  ],
  // M-Pesa lists what it charges for a payment in a row of its own.
  mpesa: (books) =>
    listedPayouts(books, 'mpesa').flatMap((taken) => {
      const row = { id: taken.transactionReference, originalId: '', fee: PAYOUT_FEE, taken };
      const isCharged = ['completed', 'reversed'].includes(statusOf(taken));
      const payment = { ...row, kind: 'payment' } as const;
      return isCharged ? [payment, { ...row, kind: 'charge' }] : [payment];
    }),
  'dt-one': topupsOf('dt-one'),
  reloadly: topupsOf('reloadly'),
};
