import type { Company } from '../voucher.ts';

/** What an API key may do. Scopes are independent: `vouchers` does not include `read`. */
export const scopes = ['read', 'vouchers', 'topups'] as const;
export type Scope = (typeof scopes)[number];

const scopesByKind: Readonly<Record<Company['kind'], readonly Scope[]>> = {
  partner: scopes,
  merchant: ['read', 'vouchers'],
};

/** The scopes that keys of a kind of company can have. */
export const scopesOf = (kind: Company['kind']): readonly Scope[] => scopesByKind[kind];

/** The meaning of each scope, for people. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  read: 'Read lists, balances, vouchers and top-ups; change nothing',
  vouchers:
    'Generate, claim, redeem and cancel vouchers, reverse redemptions, send messages again, set ' +
    'selling prices',
  topups: 'Send and retry top-ups of airtime and packages',
};
