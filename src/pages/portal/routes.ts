import { type PortalSession, usePortalSession } from '../../db/people/sign-ins.ts';
import { mayUse, type PortalNeed } from '../../domain/access.ts';
import { accountPages } from '../account/account.ts';
import { type Menu, type Page, PORTAL_PATH, type SiteOf } from '../page.ts';
import { showAccess } from './access/access.ts';
import { addAddress, askAddAddress, removeAddress } from './access/change-addresses.ts';
import {
  askCopyApiKey,
  askKeyLimits,
  askKeyScopes,
  askRotateApiKey,
  changeKeyLimits,
  changeKeyScopes,
  copyApiKey,
  makeApiKey,
  revokeApiKey,
  rotateApiKey,
} from './access/change-api-keys.ts';
import { provePublicKey, registerPublicKey, revokePublicKey } from './access/change-public-keys.ts';
import { activate, showActivation } from './activation.ts';
import { downloadCalls, downloadChanges, showActivity } from './activity.ts';
import { askLowBalance, setLowBalance, showBalances } from './balances.ts';
import {
  askCancelBulkOrder,
  bulkOrderPages,
  cancelBulkOrder,
  downloadBulkResult,
  showBulkOrder,
} from './bulk/bulk-orders.ts';
import {
  askOrderInBulk,
  checkBulkOrder,
  downloadBulkExample,
  orderBulk,
} from './bulk/order-in-bulk.ts';
import { askPrice, downloadPrices, packagePages, setPrice, showPrices } from './catalogue.ts';
import { showGettingStarted } from './getting-started.ts';
import { showOverview } from './overview.ts';
import {
  addPerson,
  askChangeRole,
  changeRole,
  downloadPeople,
  removePerson,
  requireOneTimePasswords,
  showPeople,
} from './people.ts';
import {
  accountCards,
  changeLanguage,
  changeMessageLanguage,
  changeStatementByEmail,
  changeTimeZone,
} from './preferences.ts';
import {
  downloadPayouts,
  downloadSales,
  redemptionPages,
  showPayouts,
  showSales,
} from './sales.ts';
import { downloadMonth, downloadStatement, showStatement, showStatements } from './statements.ts';
import { askRetryTopUp, retryTopUp, showTopUp, topUpPages } from './top-ups.ts';
import { showTryIt } from './try-it.ts';
import {
  askCancelVoucher,
  askResendMessage,
  cancelVoucher,
  resendMessage,
  showVoucher,
  voucherPages,
} from './vouchers.ts';
import { downloadDeliveries, sendWebhookAgain, showWebhook } from './webhooks/webhook.ts';
import {
  addWebhook,
  askRotateWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
  rotateWebhook,
  showWebhooks,
  testWebhook,
} from './webhooks/webhooks.ts';

/** Every page of the portal. Of two paths that match, the later one answers. */
const pages: readonly Page<PortalSession, PortalNeed>[] = [
  ...accountPages,
  showActivation,
  activate,
  showOverview,
  showBalances,
  showStatement,
  downloadStatement,
  askLowBalance,
  setLowBalance,
  showVoucher,
  ...voucherPages,
  askCancelVoucher,
  cancelVoucher,
  askResendMessage,
  resendMessage,
  askOrderInBulk,
  downloadBulkExample,
  checkBulkOrder,
  orderBulk,
  showBulkOrder,
  ...bulkOrderPages,
  askCancelBulkOrder,
  cancelBulkOrder,
  downloadBulkResult,
  showPrices,
  askPrice,
  setPrice,
  downloadPrices,
  ...packagePages,
  showTopUp,
  ...topUpPages,
  askRetryTopUp,
  retryTopUp,
  showSales,
  downloadSales,
  ...redemptionPages,
  showPayouts,
  downloadPayouts,
  showStatements,
  downloadMonth,
  showGettingStarted,
  showAccess,
  makeApiKey,
  askCopyApiKey,
  copyApiKey,
  askRotateApiKey,
  rotateApiKey,
  ...revokeApiKey,
  askKeyScopes,
  changeKeyScopes,
  askKeyLimits,
  changeKeyLimits,
  askAddAddress,
  addAddress,
  ...removeAddress,
  registerPublicKey,
  provePublicKey,
  ...revokePublicKey,
  showWebhooks,
  addWebhook,
  showWebhook,
  pauseWebhook,
  resumeWebhook,
  testWebhook,
  askRotateWebhook,
  rotateWebhook,
  ...removeWebhook,
  sendWebhookAgain,
  downloadDeliveries,
  showTryIt,
  showActivity,
  downloadChanges,
  downloadCalls,
  showPeople,
  downloadPeople,
  addPerson,
  askChangeRole,
  changeRole,
  ...removePerson,
  requireOneTimePasswords,
  changeTimeZone,
  changeLanguage,
  changeMessageLanguage,
  changeStatementByEmail,
];

const menu: Menu<PortalNeed> = [
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

/** The portal for people of partners and merchants (specification 5). */
export const portalSite: SiteOf<PortalSession, PortalNeed> = {
  basePath: PORTAL_PATH,
  name: 'Voucher portal',
  isForStaff: false,
  audience: 'For partners and merchants: keys, addresses, money and vouchers.',
  pages,
  menu,
  findSession: usePortalSession,
  mayUse: ({ role }, need) => mayUse(role, need),
  accountCards,
};
