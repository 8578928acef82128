import { DEPOSIT_REVERSAL, GOODWILL, type WalletChange } from './statement-labels.ts';

/** What changed a wallet, in words of the field, and each with its meaning. */
export const transactionKinds = {
  deposit: 'Money that you paid in',
  'deposit-reversal': 'A deposit that was taken back',
  'voucher-generated': 'The value of a new voucher, from the gift wallet to the reserved one',
  'voucher-cancelled': 'The unused value of a cancelled voucher, back to the gift wallet',
  'voucher-expired': 'The unused value of an expired voucher, back to the gift wallet',
  redemption: 'What a merchant was paid for a voucher',
  'service-fee': "The merchant's service fee of a redemption",
  'redemption-reversal': 'A redemption that was taken back',
  'top-up': 'The price of an attempt to top up',
  'top-up-returned': 'The same, returned because the attempt failed',
  'late-success': 'What providers did without a charge before, charged as agreed',
  reversal: 'What providers did not do in the end, returned to you',
  other: 'Anything else, such as a correction',
} as const satisfies Record<string, string>;

export type TransactionKind = keyof typeof transactionKinds;

type Change = Pick<WalletChange, 'operation_id' | 'step' | 'other_account' | 'change'>;

/** By the opposite account: what leaves for it, and what comes from it. */
const byAccount: Readonly<Record<string, readonly [out: TransactionKind, into: TransactionKind]>> =
  {
    'mobile-money-clearing': ['redemption', 'redemption-reversal'],
    'service-fees': ['service-fee', 'redemption-reversal'],
    'airtime-hold': ['top-up', 'top-up-returned'],
    suspense: ['late-success', 'reversal'],
  };

/** The kind of a change of a wallet. */
export function transactionKindOf(change: Change): TransactionKind {
  const { operation_id: operation, step, other_account: account } = change;
  if (account === 'funding') return step === DEPOSIT_REVERSAL ? 'deposit-reversal' : 'deposit';
  if (step === GOODWILL) return 'other';
  if (account === 'gift' || account === 'reserved') {
    if (operation.startsWith('cancel-')) return 'voucher-cancelled';
    return operation.startsWith('expire-') ? 'voucher-expired' : 'voucher-generated';
  }
  const isOut = change.change.startsWith('-');
  return byAccount[account]?.[isOut ? 0 : 1] ?? 'other';
}
