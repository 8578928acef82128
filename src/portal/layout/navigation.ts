import type { CompanyKind } from '../../db/schema/all-tables.ts';
import { mayUse, type PortalNeed } from '../../domain/access/portal-role.ts';
import type { MenuEntry, Site } from '../page.ts';

export interface NavigationEntry extends MenuEntry {
  /** As the page of this path needs it. */
  readonly needs: PortalNeed;
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
      { label: 'Overview', path: '', needs: 'read' },
      { label: 'Balances', path: '/balances', needs: 'read', kind: 'partner' },
      { label: 'Vouchers', path: '/vouchers', needs: 'read', kind: 'partner' },
      {
        label: 'Bulk orders',
        path: '/bulk-orders',
        needs: 'read',
        kind: 'partner',
        further: ['/order-in-bulk'],
      },
      { label: 'Top-ups', path: '/top-ups', needs: 'read', kind: 'partner' },
      { label: 'Prices', path: '/prices', needs: 'read', kind: 'partner' },
      { label: 'Packages', path: '/packages', needs: 'read', kind: 'partner' },
      { label: 'Sales', path: '/sales', needs: 'read', kind: 'partner' },
      { label: 'Redemptions', path: '/redemptions', needs: 'read', kind: 'merchant' },
      { label: 'Payouts', path: '/payouts', needs: 'read', kind: 'merchant' },
      { label: 'Statements', path: '/statements', needs: 'export' },
    ],
  },
  {
    group: 'API access',
    entries: [
      { label: 'Getting started', path: '/getting-started', needs: 'develop', kind: 'merchant' },
      {
        label: 'Keys and addresses',
        path: '/access',
        needs: 'develop',
        further: ['/keys', '/addresses', '/public-keys'],
      },
      { label: 'Webhooks', path: '/webhooks', needs: 'develop' },
      { label: 'Try it', path: '/try-it', needs: 'develop' },
      { label: 'Activity', path: '/activity', needs: 'develop' },
    ],
  },
  {
    group: 'You',
    entries: [
      { label: 'People', path: '/people', needs: 'people' },
      { label: 'Account', path: '/account', needs: 'own' },
    ],
  },
];

/** The menu of a person of a company, by kind and role. */
export const portalMenu: Site['menuOf'] = (session) =>
  'staff' in session
    ? []
    : navigation.map(({ group, entries }) => ({
        group,
        entries: entries
          .filter(({ kind }) => kind === undefined || kind === session.company.kind)
          .filter(({ needs }) => mayUse(session.role, needs)),
      }));
