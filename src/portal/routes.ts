import type { Page } from './page.ts';
import { showAccess } from './pages/access/access.ts';
import { addAddress } from './pages/access/add-address.ts';
import { askAddAddress } from './pages/access/ask-add-address.ts';
import { askKeyLimits, changeKeyLimits } from './pages/access/change-key-limits.ts';
import { askKeyScopes, changeKeyScopes } from './pages/access/change-key-scopes.ts';
import { askCopyApiKey, copyApiKey } from './pages/access/copy-api-key.ts';
import { makeApiKey } from './pages/access/make-api-key.ts';
import { provePublicKey } from './pages/access/prove-public-key.ts';
import { registerPublicKey } from './pages/access/register-public-key.ts';
import { askRemoveAddress, removeAddress } from './pages/access/remove-address.ts';
import { askRevokeApiKey, revokeApiKey } from './pages/access/revoke-api-key.ts';
import { askRevokePublicKey, revokePublicKey } from './pages/access/revoke-public-key.ts';
import { askRotateApiKey, rotateApiKey } from './pages/access/rotate-api-key.ts';
import { changePassword, showAccount, signOutEverywhere } from './pages/account/account.ts';
import { activate, showActivation } from './pages/account/activate.ts';
import { changeLanguage } from './pages/account/language.ts';
import { changeMessageLanguage } from './pages/account/message-language.ts';
import { showSignIn, signIn } from './pages/account/sign-in.ts';
import { signOut } from './pages/account/sign-out.ts';
import { changeTimeZone } from './pages/account/time-zone.ts';
import { downloadCalls, downloadChanges, showActivity } from './pages/activity.ts';
import { showBalances } from './pages/balances.ts';
import { showBulkOrder } from './pages/bulk/bulk-order.ts';
import { downloadBulkOrders, showBulkOrders } from './pages/bulk/bulk-orders.ts';
import { askCancelBulkOrder, cancelBulkOrder } from './pages/bulk/cancel-bulk-order.ts';
import { downloadBulkResult } from './pages/bulk/download-bulk-result.ts';
import { downloadBulkExample, orderBulk } from './pages/bulk/order-bulk.ts';
import { askOrderInBulk, checkBulkOrder } from './pages/bulk/order-in-bulk.ts';
import { downloadPackages, showPackages } from './pages/catalogue/packages.ts';
import { downloadPrices, showPrices } from './pages/catalogue/prices.ts';
import { askPrice, setPrice } from './pages/catalogue/set-price.ts';
import { showGettingStarted } from './pages/getting-started.ts';
import {
  renewRecoveryCodes,
  switchOffOneTimePassword,
  switchOnOneTimePassword,
} from './pages/one-time-password/change-one-time-password.ts';
import { enterCode, showCode } from './pages/one-time-password/enter-code.ts';
import { showOneTimePassword } from './pages/one-time-password/one-time-password.ts';
import { requireOneTimePasswords } from './pages/one-time-password/require-one-time-passwords.ts';
import { showOverview } from './pages/overview.ts';
import { downloadPayouts, showPayouts } from './pages/payouts.ts';
import { addPerson } from './pages/people/add-person.ts';
import { askChangeRole, changeRole } from './pages/people/change-role.ts';
import { downloadPeople, showPeople } from './pages/people/people.ts';
import { askRemovePerson, removePerson } from './pages/people/remove-person.ts';
import { downloadRedemptions, showRedemptions } from './pages/redemptions.ts';
import { downloadSales, showSales } from './pages/sales.ts';
import { askLowBalance, setLowBalance } from './pages/set-low-balance.ts';
import { downloadStatement, showStatement } from './pages/statements/statement.ts';
import { changeStatementByEmail } from './pages/statements/statement-by-email.ts';
import { downloadMonth, showStatements } from './pages/statements/statements.ts';
import { askRetryTopUp, retryTopUp } from './pages/topups/retry-top-up.ts';
import { showTopUp } from './pages/topups/top-up.ts';
import { downloadTopUps, showTopUps } from './pages/topups/top-ups.ts';
import { showTryIt } from './pages/try-it.ts';
import { askCancelVoucher, cancelVoucher } from './pages/vouchers/cancel-voucher.ts';
import { askResendMessage, resendMessage } from './pages/vouchers/resend-message.ts';
import { showVoucher } from './pages/vouchers/voucher.ts';
import { downloadVouchers, showVouchers } from './pages/vouchers/vouchers.ts';
import { addWebhook } from './pages/webhooks/add-webhook.ts';
import {
  askRemoveWebhook,
  askRotateWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
  rotateWebhook,
  testWebhook,
} from './pages/webhooks/change-webhook.ts';
import { downloadDeliveries } from './pages/webhooks/download-deliveries.ts';
import { sendWebhookAgain } from './pages/webhooks/send-webhook-again.ts';
import { showWebhook } from './pages/webhooks/webhook.ts';
import { showWebhooks } from './pages/webhooks/webhooks.ts';

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
