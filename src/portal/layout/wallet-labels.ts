import type { Wallet } from '../../db/ledger/statement-lines.js';

/** The balances of partners in words, in the order of the specification (2.10). */
export const walletLabels: Readonly<
  Record<Wallet, { readonly name: string; readonly text: string }>
> = {
  airtime: { name: 'Airtime wallet', text: 'Airtime and packages are paid from it.' },
  gift: { name: 'Gift wallet', text: 'Vouchers are generated from it.' },
  reserved: {
    name: 'Unused vouchers',
    text: 'What your vouchers are still worth; nobody has used it yet.',
  },
};
