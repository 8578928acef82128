import type { Page } from './page.js';
import { formerAccessPages, showAccess } from './pages/access/access.js';
import { addAddress } from './pages/access/add-address.js';
import { askAddAddress } from './pages/access/ask-add-address.js';
import { askCopyApiKey, copyApiKey } from './pages/access/copy-api-key.js';
import { makeApiKey } from './pages/access/make-api-key.js';
import { provePublicKey } from './pages/access/prove-public-key.js';
import { registerPublicKey } from './pages/access/register-public-key.js';
import { askRemoveAddress, removeAddress } from './pages/access/remove-address.js';
import { askRevokeApiKey, revokeApiKey } from './pages/access/revoke-api-key.js';
import { askRevokePublicKey, revokePublicKey } from './pages/access/revoke-public-key.js';
import { askRotateApiKey, rotateApiKey } from './pages/access/rotate-api-key.js';
import { changePassword, showAccount, signOutEverywhere } from './pages/account.js';
import { activate, showActivation } from './pages/activate.js';
import { showActivity } from './pages/activity.js';
import { showBalances } from './pages/balances.js';
import { showGettingStarted } from './pages/getting-started.js';
import { showOverview } from './pages/overview.js';
import { downloadPayouts, showPayouts } from './pages/payouts.js';
import { downloadRedemptions, showRedemptions } from './pages/redemptions.js';
import { showSales } from './pages/sales.js';
import { showSignIn, signIn } from './pages/sign-in.js';
import { signOut } from './pages/sign-out.js';
import { downloadStatement, showStatement } from './pages/statement.js';
import { showTopUp } from './pages/top-up.js';
import { showTopUps } from './pages/top-ups.js';
import { showTryIt } from './pages/try-it.js';
import { showVoucher } from './pages/voucher.js';
import { showVouchers } from './pages/vouchers.js';

/** Every page of the portal. */
export const pages: readonly Page[] = [
  showSignIn,
  signIn,
  signOut,
  showActivation,
  activate,
  showOverview,
  showBalances,
  showStatement,
  downloadStatement,
  showVouchers,
  showVoucher,
  showTopUps,
  showTopUp,
  showSales,
  showRedemptions,
  downloadRedemptions,
  showPayouts,
  downloadPayouts,
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
  askAddAddress,
  addAddress,
  askRemoveAddress,
  removeAddress,
  registerPublicKey,
  provePublicKey,
  askRevokePublicKey,
  revokePublicKey,
  showTryIt,
  showActivity,
  showAccount,
  changePassword,
  signOutEverywhere,
];
