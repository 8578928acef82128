import { countDesk } from '../../db/lists/desk.ts';
import { type StaffSession, useStaffSession } from '../../db/people/sign-ins.ts';
import { mayAsStaff, type StaffNeed } from '../../domain/staff.ts';
import { accountPages } from '../account/account.ts';
import { type Menu, type Page, type SiteOf, SUPPORT_PATH } from '../page.ts';
import { casePages } from './case.ts';
import { showCase, showCases } from './cases.ts';
import { pagesOfCompanies } from './company/company.ts';
import { leaveItemForm, showDesk, takeItemForm } from './desk.ts';
import { showFigures } from './figures.ts';
import { findPages, showWorkflow } from './find.ts';
import { showGuide, showRepairGuide } from './guide.ts';
import { askForPayoutAccountForm, showPayoutAccounts } from './payout-accounts.ts';
import { confirmRepairForm, declineRepairForm, showRepair, showRepairs } from './repairs.ts';

/** Every page for staff. Of two paths that match, the later one answers. */
const pages: readonly Page<StaffSession, StaffNeed>[] = [
  accountPages,
  showDesk,
  takeItemForm,
  leaveItemForm,
  findPages,
  showWorkflow,
  casePages,
  showRepairs,
  showRepair,
  confirmRepairForm,
  declineRepairForm,
  showCases,
  showCase,
  showPayoutAccounts,
  askForPayoutAccountForm,
  pagesOfCompanies,
  showFigures,
  showGuide,
  showRepairGuide,
].flat();

const menu: Menu = [
  {
    group: 'Cases',
    entries: [
      {
        label: 'Desk',
        path: '',
        further: ['/vouchers', '/top-ups', '/partners', '/merchants'],
      },
      { label: 'Repairs', path: '/repairs' },
      { label: 'Open cases', path: '/cases' },
      { label: 'Payout accounts', path: '/payout-accounts' },
      { label: 'Figures', path: '/figures' },
      { label: 'Guide', path: '/guide' },
    ],
  },
  { group: 'You', entries: [{ label: 'Account', path: '/account' }] },
];

/** The pages for staff: in the portal's look, with accounts, sessions and cookies of their own. */
export const supportSite: SiteOf<StaffSession, StaffNeed> = {
  basePath: SUPPORT_PATH,
  name: 'Voucher support',
  isForStaff: true,
  audience: 'For support staff and operators of the service.',
  pages,
  menu,
  findSession: useStaffSession,
  countsOfMenu: async (database, { staff }) => ({ '': await countDesk(database, staff.id) }),
  mayUse: ({ staff }, need) => mayAsStaff(staff.role, need),
};
