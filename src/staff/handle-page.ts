import type { RouterContext } from '@koa/router';
import { useStaffSession } from '../db/portal/portal-sessions.ts';
import { mayAsStaff } from '../domain/staff/staff-role.ts';
import { askForProof } from '../portal/access/confirmation.ts';
import { pathBeforeAllElse } from '../portal/access/required-set-up.ts';
import {
  answerPerson,
  askToSignIn,
  formOfPerson,
  guarded,
  handlePublic,
  requestOf,
  sessionTokenOf,
} from '../portal/handle-page.ts';
import type { PortalTools } from '../portal/page.ts';
import { problems, writeProblem } from '../portal/problem-page.ts';
import { inTimeZone } from '../portal/time-zone.ts';
import { setView } from '../portal/view.ts';
import type { StaffPage, StaffSitePage } from './page.ts';

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
    inTimeZone(tools.settings.marketTimeZone, () =>
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
  const { services, settings } = tools;
  const token = sessionTokenOf(tools, context);
  const digests = token === undefined ? undefined : services.digests.stored.portalSession(token);
  const session = digests && (await useStaffSession(services.database, digests, settings.session));
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
