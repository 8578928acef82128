import { showSignIn, signIn } from '../portal/pages/account/sign-in.ts';
import { enterCode, showCode } from '../portal/pages/one-time-password/enter-code.ts';
import { staffAccountPages } from './account-pages.ts';
import type { StaffSitePage } from './page.ts';
import { showTopupCase, showVoucherCase } from './pages/case.ts';
import { showCases } from './pages/cases/list-cases.ts';
import { showCase } from './pages/cases/show-case.ts';
import { askFind, find, findAgain } from './pages/find.ts';
import { showGuide, showRepairGuide } from './pages/guide.ts';
import { askForPayoutAccount, showPayoutAccounts } from './pages/payout-accounts.ts';
import { askRepairPage } from './pages/repairs/ask-repair.ts';
import { confirmRepairPage, declineRepairPage } from './pages/repairs/decide-repair.ts';
import { showRepairs } from './pages/repairs/list-repairs.ts';
import { showRepair } from './pages/repairs/show-repair.ts';
import { showWallets } from './pages/repairs/wallets.ts';
import {
  backToRepair,
  backToTopupCase,
  backToVoucherCase,
  showRepairNumber,
  showTopupNumber,
  showVoucherNumber,
} from './pages/show-number.ts';

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
  showCases,
  showCase,
  showPayoutAccounts,
  askForPayoutAccount,
  showGuide,
  showRepairGuide,
];
