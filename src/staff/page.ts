import type { StaffSession } from '../db/portal/portal-sessions.ts';
import type { Staff, StaffNeed } from '../domain/staff/staff-role.ts';
import type {
  Confirmed,
  MenuEntry,
  PageAnswer,
  PageRoute,
  PersonRequest,
  PublicPage,
} from '../portal/page.ts';

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

export type StaffMenu = readonly {
  readonly group: string;
  readonly entries: readonly StaffMenuEntry[];
}[];
