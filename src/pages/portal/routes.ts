import { type PortalSession, usePortalSession } from '../../db/people/sign-ins.ts';
import { mayUse, type PortalNeed } from '../../domain/access.ts';
import { accountPages } from '../account/account.ts';
import { type Menu, type Page, PORTAL_PATH, type SiteOf } from '../page.ts';
import { showAccess } from './access/access.ts';
import { addAddressForm, askAddAddress, removeAddressPages } from './access/change-addresses.ts';
import {
  askKeyLimits,
  askKeyScopes,
  askRotateApiKey,
  changeKeyLimitsForm,
  changeKeyScopesForm,
  copyApiKeyPages,
  makeApiKeyForm,
  revokeApiKeyPages,
  rotateApiKeyForm,
} from './access/change-api-keys.ts';
import {
  provePublicKeyForm,
  registerPublicKeyForm,
  revokePublicKeyPages,
} from './access/change-public-keys.ts';
import { activateForm, showActivation } from './activation.ts';
import { downloadCalls, downloadChanges, showActivity } from './activity.ts';
import { askLowBalance, setLowBalanceForm, showBalances } from './balances.ts';
import {
  askCancelBulkOrder,
  bulkOrderPages,
  cancelBulkOrderForm,
  downloadBulkResultForm,
  showBulkOrder,
} from './bulk/bulk-orders.ts';
import {
  askOrderInBulk,
  checkBulkOrderForm,
  downloadBulkExample,
  orderBulkForm,
} from './bulk/order-in-bulk.ts';
import { askPrice, downloadPrices, packagePages, setPriceForm, showPrices } from './catalogue.ts';
import { showGettingStarted } from './getting-started.ts';
import { showOverview } from './overview.ts';
import {
  addPersonForm,
  askChangeRole,
  changeRoleForm,
  downloadPeople,
  removePersonPages,
  requireSecondFactorsForm,
  showPeople,
} from './people.ts';
import {
  accountCards,
  changeLanguageForm,
  changeMessageLanguageForm,
  changeStatementByEmailForm,
  changeTimeZoneForm,
} from './preferences.ts';
import {
  downloadPayouts,
  downloadSales,
  redemptionPages,
  showPayouts,
  showSales,
} from './sales.ts';
import { sellPages } from './sell.ts';
import {
  downloadMonth,
  downloadStatement,
  findInStatementAgain,
  findInStatementForm,
  showStatement,
  showStatements,
} from './statements.ts';
import { askRetryTopUp, retryTopUpForm, showTopUp, topUpPages } from './top-ups.ts';
import { showTryIt } from './try-it.ts';
import {
  askCancelVoucher,
  askResendMessage,
  cancelVoucherForm,
  resendMessageForm,
  showVoucher,
  voucherPages,
} from './vouchers.ts';
import { downloadDeliveries, sendWebhookAgainForm, showWebhook } from './webhooks/webhook.ts';
import {
  addWebhookForm,
  pauseWebhookPages,
  removeWebhookPages,
  resumeWebhookPages,
  rotateWebhookPages,
  showWebhooks,
  testWebhookPages,
} from './webhooks/webhooks.ts';

/** Every page of the portal. Of two paths that match, the later one answers. */
const pages: readonly Page<PortalSession, PortalNeed>[] = [
  ...accountPages,
  showActivation,
  activateForm,
  showOverview,
  showBalances,
  showStatement,
  downloadStatement,
  findInStatementForm,
  findInStatementAgain,
  askLowBalance,
  setLowBalanceForm,
  showVoucher,
  ...voucherPages,
  askCancelVoucher,
  cancelVoucherForm,
  askResendMessage,
  resendMessageForm,
  ...sellPages,
  askOrderInBulk,
  downloadBulkExample,
  checkBulkOrderForm,
  orderBulkForm,
  showBulkOrder,
  ...bulkOrderPages,
  askCancelBulkOrder,
  cancelBulkOrderForm,
  downloadBulkResultForm,
  showPrices,
  askPrice,
  setPriceForm,
  downloadPrices,
  ...packagePages,
  showTopUp,
  ...topUpPages,
  askRetryTopUp,
  retryTopUpForm,
  showSales,
  downloadSales,
  ...redemptionPages,
  showPayouts,
  downloadPayouts,
  showStatements,
  downloadMonth,
  showGettingStarted,
  showAccess,
  makeApiKeyForm,
  ...copyApiKeyPages,
  askRotateApiKey,
  rotateApiKeyForm,
  ...revokeApiKeyPages,
  askKeyScopes,
  changeKeyScopesForm,
  askKeyLimits,
  changeKeyLimitsForm,
  askAddAddress,
  addAddressForm,
  ...removeAddressPages,
  registerPublicKeyForm,
  provePublicKeyForm,
  ...revokePublicKeyPages,
  showWebhooks,
  addWebhookForm,
  showWebhook,
  pauseWebhookPages,
  resumeWebhookPages,
  testWebhookPages,
  ...rotateWebhookPages,
  ...removeWebhookPages,
  sendWebhookAgainForm,
  downloadDeliveries,
  showTryIt,
  showActivity,
  downloadChanges,
  downloadCalls,
  showPeople,
  downloadPeople,
  addPersonForm,
  askChangeRole,
  changeRoleForm,
  ...removePersonPages,
  requireSecondFactorsForm,
  changeTimeZoneForm,
  changeLanguageForm,
  changeMessageLanguageForm,
  changeStatementByEmailForm,
];

const menu: Menu<PortalNeed> = [
  {
    group: 'Business',
    entries: [
      { label: 'Overview', path: '', needs: 'read' },
      { label: 'Balances', path: '/balances', needs: 'read', kind: 'partner' },
      { label: 'Sell', path: '/sell', needs: 'operate', kind: 'partner' },
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
