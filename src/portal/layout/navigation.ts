import type { CompanyKind } from '../../db/schema/all-tables.js';

export interface NavigationEntry {
  readonly label: string;
  /** Below the portal's base path. */
  readonly path: string;
  /** Further pages of this entry, including those below them. */
  readonly further?: readonly string[];
  /** Only for companies of this kind. */
  readonly kind?: CompanyKind;
}

/** The entries of the portal's menu. */
export const navigation: readonly {
  readonly group: string;
  readonly entries: readonly NavigationEntry[];
}[] = [
  {
    group: 'Business',
    entries: [
      { label: 'Overview', path: '' },
      { label: 'Balances', path: '/balances', kind: 'partner' },
      { label: 'Vouchers', path: '/vouchers', kind: 'partner' },
      { label: 'Top-ups', path: '/top-ups', kind: 'partner' },
      { label: 'Sales', path: '/sales', kind: 'partner' },
      { label: 'Redemptions', path: '/redemptions', kind: 'merchant' },
      { label: 'Payouts', path: '/payouts', kind: 'merchant' },
    ],
  },
  {
    group: 'API access',
    entries: [
      { label: 'Getting started', path: '/getting-started', kind: 'merchant' },
      {
        label: 'Keys and addresses',
        path: '/access',
        further: ['/keys', '/addresses', '/public-keys'],
      },
      { label: 'Try it', path: '/try-it' },
      { label: 'Activity', path: '/activity' },
    ],
  },
  { group: 'You', entries: [{ label: 'Account', path: '/account' }] },
];
