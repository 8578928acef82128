import type { Wallet } from '../../db/ledger/statement-lines.ts';
import type { KnownText } from '../language/language.ts';

/** The labels of a partner's balances, in the order of the specification (2.10). */
export const walletLabels: Readonly<
  Record<Wallet, { readonly name: KnownText; readonly text: KnownText }>
> = {
  airtime: { name: 'Airtime wallet', text: 'Airtime and packages are paid from it.' },
  gift: { name: 'Gift wallet', text: 'Vouchers are generated from it.' },
  reserved: {
    name: 'Unused vouchers',
    text: 'The unused value of your vouchers.',
  },
};
