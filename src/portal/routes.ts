import type { Page } from './page.js';
import { formerAccessPages, showAccess } from './pages/access.js';
import { changePassword, showAccount, signOutEverywhere } from './pages/account.js';
import { activate, showActivation } from './pages/activate.js';
import { showActivity } from './pages/activity.js';
import { addAddress } from './pages/add-address.js';
import { askAddAddress } from './pages/ask-add-address.js';
import { showBalances } from './pages/balances.js';
import { askCopyApiKey, copyApiKey } from './pages/copy-api-key.js';
import { showGettingStarted } from './pages/getting-started.js';
import { makeApiKey } from './pages/make-api-key.js';
import { showOverview } from './pages/overview.js';
import { downloadPayouts, showPayouts } from './pages/payouts.js';
import { provePublicKey } from './pages/prove-public-key.js';
import { downloadRedemptions, showRedemptions } from './pages/redemptions.js';
import { registerPublicKey } from './pages/register-public-key.js';
import { askRemoveAddress, removeAddress } from './pages/remove-address.js';
import { askRevokeApiKey, revokeApiKey } from './pages/revoke-api-key.js';
import { askRevokePublicKey, revokePublicKey } from './pages/revoke-public-key.js';
import { askRotateApiKey, rotateApiKey } from './pages/rotate-api-key.js';
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
