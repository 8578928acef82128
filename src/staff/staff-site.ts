import type { PasswordHashes } from '../crypto/password-hashes.js';
import { mayAsStaff } from '../domain/staff/staff-role.js';
import type { PagesSurface } from '../http/app.js';
import type { Services } from '../http/services.js';
import { createSite } from '../portal/create-site.js';
import type { PortalSettings, Site } from '../portal/page.js';
import { toolsOf } from '../portal/portal.js';
import { handleStaffSitePage } from './handle-page.js';
import { staffMenu } from './menu.js';
import { SUPPORT_PATH } from './page.js';
import { staffPages } from './routes.js';

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
