import type { Context } from 'koa';
import type { PasswordHashes } from '../../crypto/password-hashes.ts';
import type { PagesSurface } from '../../http/app.ts';
import type { Services } from '../../http/services.ts';
import { portalMenu } from '../layout/layout.ts';
import { createCookies, PORTAL_PATH, type PortalTools, type Site, viewOf } from '../page.ts';
import { wantedLanguage } from '../session/preferences.ts';
import { createSite } from './create-site.ts';
import { handlePage } from './handle-page.ts';
import { pages } from './routes.ts';

const portalSite: Site = {
  basePath: PORTAL_PATH,
  name: 'Voucher portal',
  isForStaff: false,
  audience: 'For partners and merchants: keys, addresses, money and vouchers.',
  menuOf: portalMenu,
};

/** The tools of the pages of a site. */
export const toolsOf = (
  site: Site,
  services: Services,
  passwords: PasswordHashes,
): PortalTools => ({
  services,
  site,
  passwords,
  cookies: createCookies(services.settings.http.publicUrl, site),
});

/** The time zone that the signed-in person has chosen. */
function zoneOf(context: Context): string | null | undefined {
  const session = viewOf(context)?.session;
  return session && 'timeZone' in session ? session.timeZone : undefined;
}

/** The portal for people of partners and merchants (specification 5). */
export function createPortal(services: Services, passwords: PasswordHashes): PagesSurface {
  const tools = toolsOf(portalSite, services, passwords);
  return createSite(tools, {
    pages,
    handle: handlePage,
    languageOf: (context) => wantedLanguage(context, tools),
    zoneOf,
  });
}
