import { type PortalSession, usePortalSession } from '../../db/people/sign-ins.ts';
import { mayUse, type PortalNeed } from '../../domain/access.ts';
import { accountPages } from '../account/account.ts';
import { type Menu, type Page, PORTAL_PATH, type SiteOf } from '../page.ts';
import { showAccess } from './access/access.ts';
import { addAddressForm, askAddAddress, removeAddressPages } from './access/change-addresses.ts';
import {
  changeKeyLimitsPages,
  changeKeyScopesPages,
  copyApiKeyPages,
  makeApiKeyForm,
  revokeApiKeyPages,
  rotateApiKeyPages,
} from './access/change-api-keys.ts';
import {
  provePublicKeyForm,
  registerPublicKeyForm,
  revokePublicKeyPages,
} from './access/change-public-keys.ts';
import { activateForm, showActivation } from './activation.ts';
import { downloadCalls, downloadChanges, showActivity } from './activity.ts';
import { setLowBalancePages, showBalances } from './balances.ts';
import {
  bulkOrderPages,
  cancelBulkOrderPages,
  downloadBulkResultForm,
  showBulkOrder,
} from './bulk/bulk-orders.ts';
import { downloadBulkExample, orderBulkForm, orderInBulkPages } from './bulk/order-in-bulk.ts';
import { downloadPrices, packagePages, setPricePages, showPrices } from './catalogue.ts';
import { showGettingStarted } from './getting-started.ts';
import { showOverview } from './overview.ts';
import {
  addPersonForm,
  changeRolePages,
  downloadPeople,
  removePersonPages,
  requireSecondFactorsForm,
  showPeople,
} from './people.ts';
import {
  accountCards,
  changeStatementByEmailForm,
  languageChoice,
  messageLanguageChoice,
  timeZoneChoice,
} from './preferences.ts';
import { payoutsByDay, redemptionPages, salesByDay } from './sales.ts';
import { sellPages } from './sell.ts';
import {
  downloadMonth,
  downloadStatement,
  findInStatementPages,
  showStatement,
  showStatements,
} from './statements.ts';
import { retryTopupPages, showTopup, topupPages } from './top-ups.ts';
import { showTryIt } from './try-it.ts';
import { cancelVoucherPages, resendMessagePages, showVoucher, voucherPages } from './vouchers.ts';
import { downloadDeliveries, sendWebhookAgainForm, showWebhook } from './webhooks/webhook.ts';
import {
  addWebhookForm,
  changeWebhookForms,
  removeWebhookPages,
  rotateWebhookPages,
  showWebhooks,
} from './webhooks/webhooks.ts';

/** Every page of the portal. Of two paths that match, the later one answers. */
const pages: readonly Page<PortalSession, PortalNeed>[] = [
  accountPages,
  showActivation,
  activateForm,
  showOverview,
  showBalances,
  showStatement,
  downloadStatement,
  findInStatementPages,
  setLowBalancePages,
  showVoucher,
  voucherPages,
  cancelVoucherPages,
  resendMessagePages,
  sellPages,
  orderInBulkPages,
  downloadBulkExample,
  orderBulkForm,
  showBulkOrder,
  bulkOrderPages,
  cancelBulkOrderPages,
  downloadBulkResultForm,
  showPrices,
  setPricePages,
  downloadPrices,
  packagePages,
  showTopup,
  topupPages,
  retryTopupPages,
  salesByDay,
  redemptionPages,
  payoutsByDay,
  showStatements,
  downloadMonth,
  showGettingStarted,
  showAccess,
  makeApiKeyForm,
  copyApiKeyPages,
  rotateApiKeyPages,
  revokeApiKeyPages,
  changeKeyScopesPages,
  changeKeyLimitsPages,
  askAddAddress,
  addAddressForm,
  removeAddressPages,
  registerPublicKeyForm,
  provePublicKeyForm,
  revokePublicKeyPages,
  showWebhooks,
  addWebhookForm,
  showWebhook,
  changeWebhookForms,
  rotateWebhookPages,
  removeWebhookPages,
  sendWebhookAgainForm,
  downloadDeliveries,
  showTryIt,
  showActivity,
  downloadChanges,
  downloadCalls,
  showPeople,
  downloadPeople,
  addPersonForm,
  changeRolePages,
  removePersonPages,
  requireSecondFactorsForm,
  timeZoneChoice.pages,
  languageChoice.pages,
  messageLanguageChoice.pages,
  changeStatementByEmailForm,
].flat();

const menu: Menu = [
  {
    group: 'Business',
    entries: [
      { label: 'Overview', path: '' },
      { label: 'Balances', path: '/balances' },
      { label: 'Sell', path: '/sell' },
      { label: 'Vouchers', path: '/vouchers' },
      {
        label: 'Bulk orders',
        path: '/bulk-orders',
        further: ['/order-in-bulk'],
      },
      { label: 'Top-ups', path: '/top-ups' },
      { label: 'Prices', path: '/prices' },
      { label: 'Packages', path: '/packages' },
      { label: 'Sales', path: '/sales' },
      { label: 'Redemptions', path: '/redemptions' },
      { label: 'Payouts', path: '/payouts' },
      { label: 'Statements', path: '/statements' },
    ],
  },
  {
    group: 'API access',
    entries: [
      { label: 'Getting started', path: '/getting-started' },
      {
        label: 'Keys and addresses',
        path: '/access',
        further: ['/keys', '/addresses', '/public-keys'],
      },
      { label: 'Webhooks', path: '/webhooks' },
      { label: 'Try it', path: '/try-it' },
      { label: 'Activity', path: '/activity' },
    ],
  },
  {
    group: 'You',
    entries: [
      { label: 'People', path: '/people' },
      { label: 'Account', path: '/account' },
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
