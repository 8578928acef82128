import { endPortalSession } from '../../../db/portal/portal-sessions.ts';
import type { PersonPage } from '../../page.ts';

/** Ends the session in the database, so that every copy of its token becomes useless. */
export const signOut: PersonPage = {
  method: 'POST',
  path: '/sign-out',
  changesNothing: true,
  access: 'account',
  needs: 'own',
  confirmation: 'none',
  always: true,
  async handle({ services, cookies, site, sessionToken }) {
    if (sessionToken !== undefined)
      await endPortalSession(
        services.database,
        services.digests.stored.portalSession(sessionToken),
      );
    return {
      kind: 'redirect',
      to: `${site.basePath}/sign-in?out=yes`,
      setCookies: [cookies.session.clear()],
    };
  },
};
