import type { PasswordHashes } from '../../crypto/password-hashes.ts';
import { mayAsStaff } from '../../domain/staff.ts';
import type { PagesSurface } from '../../http/app.ts';
import type { Services } from '../../http/services.ts';
import type { PersonPage, Site } from '../page.ts';
import { changePassword, showAccount, signOutEverywhere } from '../portal/account/account.ts';
import {
  enterCode,
  renewRecoveryCodes,
  showCode,
  showOneTimePassword,
  switchOffOneTimePassword,
  switchOnOneTimePassword,
} from '../portal/account/one-time-password.ts';
import { showSignIn, signIn, signOut } from '../portal/account/sign-in.ts';
import { createSite } from '../portal/create-site.ts';
import { toolsOf } from '../portal/portal.ts';
import {
  askRepairPage,
  backToRepair,
  backToTopupCase,
  backToVoucherCase,
  showRepairNumber,
  showTopupCase,
  showTopupNumber,
  showVoucherCase,
  showVoucherNumber,
} from './case.ts';
import { showCase, showCases } from './cases.ts';
import { askFind, find, findAgain } from './find.ts';
import { showGuide, showRepairGuide } from './guide.ts';
import {
  handleStaffSitePage,
  type StaffPage,
  type StaffSitePage,
  SUPPORT_PATH,
  staffMenu,
} from './page.ts';
import { askForPayoutAccount, showPayoutAccounts } from './payout-accounts.ts';
import {
  confirmRepairPage,
  declineRepairPage,
  showRepair,
  showRepairs,
  showWallets,
} from './repairs.ts';

const ofStaff = (page: PersonPage): StaffPage => {
  const { method, path, changesNothing, always } = page;
  return {
    method,
    path,
    access: 'staff',
    needs: 'own',
    ...(changesNothing && { changesNothing }),
    ...(always && { always }),
    ...(typeof page.confirmation === 'function' && { confirmation: page.confirmation }),
    handle: (request) => page.handle(request),
  };
};

/** The pages of a person's own account, as people of companies have them. */
const staffAccountPages: readonly StaffPage[] = [
  signOut,
  showAccount,
  changePassword,
  signOutEverywhere,
  showOneTimePassword,
  switchOnOneTimePassword,
  renewRecoveryCodes,
  switchOffOneTimePassword,
].map(ofStaff);

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

const staffSite: Site = {
  basePath: SUPPORT_PATH,
  name: 'Voucher support',
  isForStaff: true,
  audience: 'For support staff and operators of the service.',
  menuOf: (session) =>
    'staff' in session
      ? staffMenu.map(({ group, entries }) => ({
          group,
          entries: entries.filter(({ needs }) => mayAsStaff(session.staff.role, needs)),
        }))
      : [],
};

/** The pages for staff: in the portal's look, with accounts, sessions and cookies of their own. */
export const createStaffSite = (services: Services, passwords: PasswordHashes): PagesSurface =>
  createSite(toolsOf(staffSite, services, passwords), {
    pages: staffPages,
    handle: handleStaffSitePage,
    languageOf: () => 'en',
    zoneOf: () => undefined,
  });
