import type { PersonSession } from '../../db/portal/portal-sessions.ts';
import type { Site } from '../page.ts';

/** The page of the person's own account. */
export const accountPath = ({ basePath }: Site): string => `${basePath}/account`;

/** The page of the person's one-time passwords. */
export const oneTimePasswordPath = (site: Site): string => `${accountPath(site)}/one-time-password`;

/** Whether the person must set up one-time passwords, as the company requires, before all else. */
const mustSetUpOneTimePassword = (session: PersonSession): boolean =>
  session.needsOneTimePassword && !session.hasOneTimePassword;

/** The page that the person must use before all else; undefined where nothing is to be set up. */
export function pathBeforeAllElse(site: Site, session: PersonSession): string | undefined {
  if (session.mustChangePassword) return accountPath(site);
  return mustSetUpOneTimePassword(session) ? oneTimePasswordPath(site) : undefined;
}
