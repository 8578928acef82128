import type { Page } from './page.js';
import { formerAccessPages, showAccess } from './pages/access/access.js';
import { addAddress } from './pages/access/add-address.js';
import { askAddAddress } from './pages/access/ask-add-address.js';
import { askKeyLimits, changeKeyLimits } from './pages/access/change-key-limits.js';
import { askKeyScopes, changeKeyScopes } from './pages/access/change-key-scopes.js';
import { askCopyApiKey, copyApiKey } from './pages/access/copy-api-key.js';
import { makeApiKey } from './pages/access/make-api-key.js';
import { provePublicKey } from './pages/access/prove-public-key.js';
import { registerPublicKey } from './pages/access/register-public-key.js';
import { askRemoveAddress, removeAddress } from './pages/access/remove-address.js';
import { askRevokeApiKey, revokeApiKey } from './pages/access/revoke-api-key.js';
import { askRevokePublicKey, revokePublicKey } from './pages/access/revoke-public-key.js';
import { askRotateApiKey, rotateApiKey } from './pages/access/rotate-api-key.js';
import { changePassword, showAccount, signOutEverywhere } from './pages/account/account.js';
import { activate, showActivation } from './pages/account/activate.js';
import { changeLanguage } from './pages/account/language.js';
import { changeMessageLanguage } from './pages/account/message-language.js';
import { showSignIn, signIn } from './pages/account/sign-in.js';
import { signOut } from './pages/account/sign-out.js';
import { changeTimeZone } from './pages/account/time-zone.js';
import { downloadCalls, downloadChanges, showActivity } from './pages/activity.js';
import { showBalances } from './pages/balances.js';
import { showBulkOrder } from './pages/bulk/bulk-order.js';
import { downloadBulkOrders, showBulkOrders } from './pages/bulk/bulk-orders.js';
import { askCancelBulkOrder, cancelBulkOrder } from './pages/bulk/cancel-bulk-order.js';
import { downloadBulkResult } from './pages/bulk/download-bulk-result.js';
import { downloadBulkExample, orderBulk } from './pages/bulk/order-bulk.js';
import { askOrderInBulk, checkBulkOrder } from './pages/bulk/order-in-bulk.js';
import { downloadPackages, showPackages } from './pages/catalogue/packages.js';
import { downloadPrices, showPrices } from './pages/catalogue/prices.js';
import { askPrice, setPrice } from './pages/catalogue/set-price.js';
import { showGettingStarted } from './pages/getting-started.js';
import {
  renewRecoveryCodes,
  switchOffOneTimePassword,
  switchOnOneTimePassword,
} from './pages/one-time-password/change-one-time-password.js';
import { enterCode, showCode } from './pages/one-time-password/enter-code.js';
import { showOneTimePassword } from './pages/one-time-password/one-time-password.js';
import { requireOneTimePasswords } from './pages/one-time-password/require-one-time-passwords.js';
import { showOverview } from './pages/overview.js';
import { downloadPayouts, showPayouts } from './pages/payouts.js';
import { addPerson } from './pages/people/add-person.js';
import { askChangeRole, changeRole } from './pages/people/change-role.js';
import { downloadPeople, showPeople } from './pages/people/people.js';
import { askRemovePerson, removePerson } from './pages/people/remove-person.js';
import { downloadRedemptions, showRedemptions } from './pages/redemptions.js';
import { downloadSales, showSales } from './pages/sales.js';
import { askLowBalance, setLowBalance } from './pages/set-low-balance.js';
import { downloadStatement, showStatement } from './pages/statements/statement.js';
import { changeStatementByEmail } from './pages/statements/statement-by-email.js';
import { downloadMonth, showStatements } from './pages/statements/statements.js';
import { askRetryTopUp, retryTopUp } from './pages/topups/retry-top-up.js';
import { showTopUp } from './pages/topups/top-up.js';
import { downloadTopUps, showTopUps } from './pages/topups/top-ups.js';
import { showTryIt } from './pages/try-it.js';
import { askCancelVoucher, cancelVoucher } from './pages/vouchers/cancel-voucher.js';
import { askResendMessage, resendMessage } from './pages/vouchers/resend-message.js';
import { showVoucher } from './pages/vouchers/voucher.js';
import { downloadVouchers, showVouchers } from './pages/vouchers/vouchers.js';
import { addWebhook } from './pages/webhooks/add-webhook.js';
import {
  askRemoveWebhook,
  askRotateWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
  rotateWebhook,
  testWebhook,
} from './pages/webhooks/change-webhook.js';
import { downloadDeliveries } from './pages/webhooks/download-deliveries.js';
import { sendWebhookAgain } from './pages/webhooks/send-webhook-again.js';
import { showWebhook } from './pages/webhooks/webhook.js';
import { showWebhooks } from './pages/webhooks/webhooks.js';

/** Every page of the portal. Of two paths that match, the later one answers. */
export const pages: readonly Page[] = [
  showSignIn,
  signIn,
  showCode,
  enterCode,
  signOut,
  showActivation,
  activate,
  showOverview,
  showBalances,
  showStatement,
  downloadStatement,
  askLowBalance,
  setLowBalance,
  showVouchers,
  showVoucher,
  downloadVouchers,
  askCancelVoucher,
  cancelVoucher,
  askResendMessage,
  resendMessage,
  askOrderInBulk,
  downloadBulkExample,
  checkBulkOrder,
  showBulkOrders,
  orderBulk,
  showBulkOrder,
  downloadBulkOrders,
  askCancelBulkOrder,
  cancelBulkOrder,
  downloadBulkResult,
  showPrices,
  askPrice,
  setPrice,
  downloadPrices,
  showPackages,
  downloadPackages,
  showTopUps,
  showTopUp,
  downloadTopUps,
  askRetryTopUp,
  retryTopUp,
  showSales,
  downloadSales,
  showRedemptions,
  downloadRedemptions,
  showPayouts,
  downloadPayouts,
  showStatements,
  downloadMonth,
  showGettingStarted,
  showAccess,
  ...formerAccessPages,
  makeApiKey,
  askCopyApiKey,
  copyApiKey,
  askRotateApiKey,
  rotateApiKey,
  askRevokeApiKey,
  revokeApiKey,
  askKeyScopes,
  changeKeyScopes,
  askKeyLimits,
  changeKeyLimits,
  askAddAddress,
  addAddress,
  askRemoveAddress,
  removeAddress,
  registerPublicKey,
  provePublicKey,
  askRevokePublicKey,
  revokePublicKey,
  showWebhooks,
  addWebhook,
  showWebhook,
  pauseWebhook,
  resumeWebhook,
  testWebhook,
  askRotateWebhook,
  rotateWebhook,
  askRemoveWebhook,
  removeWebhook,
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
  askRemovePerson,
  removePerson,
  requireOneTimePasswords,
  showAccount,
  changePassword,
  changeTimeZone,
  changeLanguage,
  changeMessageLanguage,
  changeStatementByEmail,
  showOneTimePassword,
  switchOnOneTimePassword,
  renewRecoveryCodes,
  switchOffOneTimePassword,
  signOutEverywhere,
];
