import type { RouterContext } from '@koa/router';
import { type StaffSession, sessionLifetimes, useStaffSession } from '../../db/people/sign-ins.ts';
import { mayAsStaff, type Staff, type StaffNeed } from '../../domain/staff.ts';
import {
  type Confirmed,
  type MenuEntry,
  type PageAnswer,
  type PageRoute,
  type PersonRequest,
  type PortalTools,
  type PublicPage,
  setView,
} from '../page.ts';
import {
  answerPerson,
  askToSignIn,
  formOfPerson,
  guarded,
  handlePublic,
  requestOf,
  sessionTokenOf,
} from '../portal/handle-page.ts';
import { problems, writeProblem } from '../portal/problem-page.ts';
import { askForProof } from '../session/confirmation.ts';
import { inTimeZone } from '../session/preferences.ts';
import { pathBeforeAllElse } from '../session/session.ts';

/** The base path of the pages for staff and of their cookies. */
export const SUPPORT_PATH = '/support';

/** The request of a page for staff. */
export interface StaffRequest extends PersonRequest {
  readonly session: StaffSession;
  /** Who asks: what a page writes to the audit log, and never a value of the form. */
  readonly staff: Staff;
}

/** A page for staff. */
export interface StaffPage extends PageRoute {
  readonly access: 'staff';
  readonly needs: StaffNeed;
  /** Available also before the password is changed and one-time passwords are set up. */
  readonly always?: true;
  /**
   * The person proves to be there (portal/access/confirmation.ts): by a proof of a short time ago, or by one
   * that the site asks for first and that says what is confirmed. Otherwise the session is enough, or the
   * page asks in its own form.
   */
  readonly confirmation?: Confirmed<StaffRequest>;
  handle(request: StaffRequest): Promise<PageAnswer>;
}

export type StaffSitePage = PublicPage | StaffPage;

/** An entry of the menu for staff. */
interface StaffMenuEntry extends MenuEntry {
  /** As the page of this path needs it. */
  readonly needs: StaffNeed;
}

type StaffMenu = readonly {
  readonly group: string;
  readonly entries: readonly StaffMenuEntry[];
}[];

/**
 * Passes a request through limits, origin, session, role, form and form token to its page, as
 * portal/handle-page.ts does for people of companies. A session of a company is none here.
 */
export const handleStaffSitePage = (
  tools: PortalTools,
  page: StaffSitePage,
  context: RouterContext,
): Promise<void> =>
  guarded(tools, page, context, () =>
    inTimeZone(tools.services.settings.market.marketTimeZone, () =>
      page.access === 'anyone'
        ? handlePublic(tools, page, context)
        : handleStaff(tools, page, context),
    ),
  );

async function handleStaff(
  tools: PortalTools,
  page: StaffPage,
  context: RouterContext,
): Promise<void> {
  const { services } = tools;
  const token = sessionTokenOf(tools, context);
  const digests = token === undefined ? undefined : services.digests.stored.portalSession(token);
  const session = digests && (await useStaffSession(services.database, digests, sessionLifetimes));
  if (token === undefined || session === undefined) return askToSignIn(tools, page, context);
  const { staff } = session;
  const formToken = services.digests.portalForm(token);
  setView(context, { session, formToken });
  Object.assign(context.state.log, { staffId: staff.id });
  const before = page.always ? undefined : pathBeforeAllElse(tools.site, session);
  if (before !== undefined) return context.redirect(before);
  if (!mayAsStaff(staff.role, page.needs))
    return writeProblem(context, tools, problems.notYourRole);
  const form = await formOfPerson(tools, page, context, formToken);
  if (form === undefined) return;
  const request = { ...tools, ...requestOf(tools, context, form), formToken, session, staff };
  const question =
    page.confirmation === undefined ? undefined : await askForProof(request, page.confirmation);
  await answerPerson(context, request, question ?? (await page.handle(request)));
}

/** The entries of the menu for staff. */
export const staffMenu: StaffMenu = [
  {
    group: 'Cases',
    entries: [
      { label: 'Find', path: '', needs: 'look', further: ['/vouchers', '/top-ups'] },
      { label: 'Repairs', path: '/repairs', needs: 'look' },
      { label: 'Open cases', path: '/cases', needs: 'look' },
      { label: 'Payout accounts', path: '/payout-accounts', needs: 'look' },
      { label: 'Wallets', path: '/wallets', needs: 'operate' },
      { label: 'Guide', path: '/guide', needs: 'look' },
    ],
  },
  { group: 'You', entries: [{ label: 'Account', path: '/account', needs: 'own' }] },
];

export type CaseKind = 'voucher' | 'top-up';

/** What a case is about. */
export interface SupportCaseName {
  readonly kind: CaseKind;
  readonly id: number;
}

/** The list of the cases that a person must settle. */
export const CASES_PATH = `${SUPPORT_PATH}/cases`;

/** The page on which one of them is settled. */
export const openCasePath = (id: number): string => `${CASES_PATH}/${id}`;

/** The page of a case. */
export const casePath = ({ kind, id }: SupportCaseName): string =>
  `${SUPPORT_PATH}/${kind === 'voucher' ? 'vouchers' : 'top-ups'}/${id}`;
