import { showSignIn, signIn } from '../portal/pages/account/sign-in.js';
import { enterCode, showCode } from '../portal/pages/one-time-password/enter-code.js';
import { staffAccountPages } from './account-pages.js';
import type { StaffSitePage } from './page.js';
import { showBreaks } from './pages/breaks/list-breaks.js';
import { settleBreakPage, showBreak } from './pages/breaks/show-break.js';
import { showTopupCase, showVoucherCase } from './pages/case.js';
import { askFind, find, findAgain } from './pages/find.js';
import { showGuide, showRepairGuide } from './pages/guide.js';
import { askForPayoutAccount, showPayoutAccounts } from './pages/payout-accounts.js';
import { askRepairPage } from './pages/repairs/ask-repair.js';
import { confirmRepairPage, declineRepairPage } from './pages/repairs/decide-repair.js';
import { showRepairs } from './pages/repairs/list-repairs.js';
import { showRepair } from './pages/repairs/show-repair.js';
import { showWallets } from './pages/repairs/wallets.js';
import {
  backToRepair,
  backToTopupCase,
  backToVoucherCase,
  showRepairNumber,
  showTopupNumber,
  showVoucherNumber,
} from './pages/show-number.js';

/** Every page for staff. Of two paths that match, the later one answers. */
export const staffPages: readonly StaffSitePage[] = [
  showSignIn,
  signIn,
  showCode,
  enterCode,
  ...staffAccountPages,
  askFind,
  find,
  findAgain,
  showVoucherCase,
  showVoucherNumber,
  backToVoucherCase,
  showTopupCase,
  showTopupNumber,
  backToTopupCase,
  showRepairs,
  askRepairPage,
  showRepair,
  confirmRepairPage,
  declineRepairPage,
  showRepairNumber,
  backToRepair,
  showWallets,
  showBreaks,
  showBreak,
  settleBreakPage,
  showPayoutAccounts,
  askForPayoutAccount,
  showGuide,
  showRepairGuide,
];
