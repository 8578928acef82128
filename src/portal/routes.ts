import type { Page } from './page.js';
import { changePassword, showAccount, signOutEverywhere } from './pages/account.js';
import { showOverview } from './pages/overview.js';
import { showSignIn, signIn } from './pages/sign-in.js';
import { signOut } from './pages/sign-out.js';

/** Every page of the portal. */
export const pages: readonly Page[] = [
  showSignIn,
  signIn,
  signOut,
  showOverview,
  showAccount,
  changePassword,
  signOutEverywhere,
];
