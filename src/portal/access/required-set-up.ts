import type { PortalSession } from '../../db/portal/portal-sessions.js';
import { PORTAL_PATH } from '../page.js';

/** The page of the person's one-time passwords. */
export const ONE_TIME_PASSWORD_PATH = `${PORTAL_PATH}/account/one-time-password`;

/** Whether the person must set up one-time passwords, as the company requires, before all else. */
export const mustSetUpOneTimePassword = (session: PortalSession): boolean =>
  session.needsOneTimePassword && !session.hasOneTimePassword;

/** Whether the person may use the account's own pages only, until something is set up. */
export const isBeforeAllElse = (session: PortalSession): boolean =>
  session.mustChangePassword || mustSetUpOneTimePassword(session);
