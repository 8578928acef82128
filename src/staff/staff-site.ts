import type { PasswordHashes } from '../crypto/password-hashes.ts';
import { mayAsStaff } from '../domain/staff/staff-role.ts';
import type { PagesSurface } from '../http/app.ts';
import type { Services } from '../http/services.ts';
import { createSite } from '../portal/create-site.ts';
import type { PortalSettings, Site } from '../portal/page.ts';
import { toolsOf } from '../portal/portal.ts';
import { handleStaffSitePage } from './handle-page.ts';
import { staffMenu } from './menu.ts';
import { SUPPORT_PATH } from './page.ts';
import { staffPages } from './routes.ts';

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
export const createStaffSite = (
  services: Services,
  settings: PortalSettings,
  passwords: PasswordHashes,
): PagesSurface =>
  createSite(toolsOf(staffSite, services, settings, passwords), {
    pages: staffPages,
    handle: handleStaffSitePage,
    languageOf: () => 'en',
    zoneOf: () => undefined,
  });
