import type { StaffMenu } from './page.ts';

/** The entries of the menu for staff. */
export const staffMenu: StaffMenu = [
  {
    group: 'Cases',
    entries: [
      { label: 'Find', path: '', needs: 'look', further: ['/vouchers', '/top-ups'] },
      { label: 'Repairs', path: '/repairs', needs: 'look' },
      { label: 'Open cases', path: '/cases', needs: 'look' },
      { label: 'Payout accounts', path: '/payout-accounts', needs: 'look' },
      { label: 'Wallets', path: '/wallets', needs: 'operate' },
      { label: 'Guide', path: '/guide', needs: 'look' },
    ],
  },
  { group: 'You', entries: [{ label: 'Account', path: '/account', needs: 'own' }] },
];
