import type { RouterContext } from '@koa/router';
import { isSameBytes } from '../../crypto/digests.ts';
import {
  type PortalSession,
  sessionLifetimes,
  setNotice,
  usePortalSession,
} from '../../db/people/sign-ins.ts';
import { mayUse } from '../../domain/access.ts';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import { addressGroup } from '../../http/access/source-address.ts';
import { refuseTooMany } from '../../http/limits/rate-limits.ts';
import { addressOf } from '../../http/pipeline.ts';
import { html, ownHtml } from '../../rendering/html.ts';
import { inLanguage, language } from '../language/language.ts';
import { readFormWithFile } from '../layout/forms.ts';
import { writePage } from '../layout/layout.ts';
import type {
  AccountPage,
  AccountRequest,
  FileAnswer,
  Page,
  PageAnswer,
  PageRoute,
  PersonRequest,
  PortalTools,
  PublicPage,
} from '../page.ts';
import { emptyForm, type Form, readForm, readToken, setView } from '../page.ts';
import { askForProof } from '../session/confirmation.ts';
import { inTimeZone } from '../session/preferences.ts';
import { isFromHere, pathBeforeAllElse, randomToken } from '../session/session.ts';
import { problems, writeProblem, writeRefusal } from './problem-page.ts';
import { suspendedPage } from './suspended-page.ts';

/**
 * Passes a request through limits, origin, session, form and form token to its page, and writes the
 * answer. The log never contains parts of a form, a cookie or a query.
 */
export const handlePage = (tools: PortalTools, page: Page, context: RouterContext): Promise<void> =>
  guarded(tools, page, context, () =>
    page.access === 'anyone'
      ? handlePublic(tools, page, context)
      : handleAccount(tools, page, context),
  );

/** Handles a page behind the limit of addresses, the check of the origin and the fence. */
export async function guarded(
  tools: PortalTools,
  page: PageRoute,
  context: RouterContext,
  handle: () => Promise<void>,
): Promise<void> {
  const { basePath } = tools.site;
  Object.assign(context.state.log, { route: basePath + page.path, surface: basePath.slice(1) });
  const { rateLimits } = tools.services;
  const sourceAddress = addressOf(tools.services, context);
  const ofAddress = await rateLimits.spend('address', addressGroup(sourceAddress));
  if (!ofAddress.ok) return writeRefusal(context, tools, refuseTooMany(ofAddress));
  if (
    page.method === 'POST' &&
    !isFromHere(context.headers, tools.services.settings.http.publicUrl)
  )
    return writeProblem(context, tools, problems.formNotAccepted);
  if (page.method === 'POST' && !page.changesNothing && tools.services.fence.isFenced())
    return writeRefusal(context, tools, refuse('unavailable', { retryAfterSeconds: 30 }));
  await handle();
}

function readFormOf(
  page: PageRoute & Pick<AccountPage, 'form'>,
  { req }: RouterContext,
): Promise<Form | Refusal> {
  if (page.method === 'GET') return Promise.resolve(emptyForm);
  if (page.form === undefined) return readForm(req);
  return readFormWithFile(req, page.form === 'with-list' ? 'list' : 'file');
}

/** The form of a signed-in person; undefined where its refusal has been answered. */
export async function formOfPerson(
  tools: PortalTools,
  page: Parameters<typeof readFormOf>[0],
  context: RouterContext,
  formToken: string,
): Promise<Form | undefined> {
  const form = await readFormOf(page, context);
  if ('ok' in form) writeRefusal(context, tools, form);
  else if (page.method === 'POST' && !isSameBytes(form.text('token'), formToken))
    writeProblem(context, tools, problems.formNotAccepted);
  else return form;
  return undefined;
}

/** Forms without a session belong to their own cookie, which prevents login CSRF. */
export async function handlePublic(
  tools: PortalTools,
  page: PublicPage,
  context: RouterContext,
): Promise<void> {
  const form = await readFormOf(page, context);
  if ('ok' in form) return writeRefusal(context, tools, form);
  const { cookies, services } = tools;
  // Unlike "no-referrer", this keeps the origin of forms.
  if (page.hasSecretPath) context.set('Referrer-Policy', 'strict-origin');
  const visit = readToken(context.headers.cookie, cookies.visit.name);
  const token = visit ?? randomToken();
  if (visit === undefined) context.append('Set-Cookie', cookies.visit.set(token));
  const formToken = services.digests.portalForm(token);
  if (page.method === 'POST' && !isSameBytes(form.text('token'), formToken))
    return writeProblem(context, tools, problems.formNotAccepted);
  const answer = await page.handle({ ...tools, ...requestOf(tools, context, form), formToken });
  await writeAnswer(context, tools, answer);
}

/** The session is checked before the form is read, so strangers cannot send data. */
async function handleAccount(
  tools: PortalTools,
  page: AccountPage,
  context: RouterContext,
): Promise<void> {
  const { services } = tools;
  const token = sessionTokenOf(tools, context);
  const digests = token === undefined ? undefined : services.digests.stored.portalSession(token);
  const session = digests && (await usePortalSession(services.database, digests, sessionLifetimes));
  if (token === undefined || session === undefined) return askToSignIn(tools, page, context);
  const view = { session, formToken: services.digests.portalForm(token) };
  setView(context, view);
  await inTimeZone(session.timeZone ?? services.settings.market.marketTimeZone, () =>
    inLanguage(session.language ?? language(), () => answerAccount(tools, page, context, view)),
  );
}

async function answerAccount(
  tools: PortalTools,
  page: AccountPage,
  context: RouterContext,
  { session, formToken }: { readonly session: PortalSession; readonly formToken: string },
): Promise<void> {
  const { services } = tools;
  Object.assign(context.state.log, { companyId: session.company.id });
  const { kind, id } = session.company;
  const ofCompany = await services.rateLimits.spend('company', `${kind} ${id}`);
  if (!ofCompany.ok) return writeRefusal(context, tools, refuseTooMany(ofCompany));
  // Who may not change this sends no data; who must change the password is led there first.
  if (!session.mustChangePassword && !mayUse(session.role, page.needs))
    return writeProblem(context, tools, problems.notYourRole);
  const form = await formOfPerson(tools, page, context, formToken);
  if (form === undefined) return;
  if (!page.always && session.companyStatus !== 'ACTIVE')
    return writeAnswer(context, tools, suspendedPage(session));
  const before = page.always ? undefined : pathBeforeAllElse(tools.site, session);
  if (before !== undefined) return context.redirect(before);
  if (page.kind !== undefined && page.kind !== session.company.kind)
    return writeProblem(context, tools, problems.notFound);
  const request = { ...tools, ...requestOf(tools, context, form), formToken, session };
  const question =
    page.method === 'POST' && typeof page.confirmation === 'function'
      ? await askForProof(request, page.confirmation)
      : undefined;
  await answerPerson(context, request, question ?? (await answerOf(page, request)));
}

/** Writes the answer to a signed-in person, and keeps its notice for the next page. */
export async function answerPerson(
  context: RouterContext,
  request: PersonRequest,
  answer: PageAnswer,
): Promise<void> {
  const { services, session } = request;
  if (answer.kind === 'redirect' && answer.notice !== undefined)
    await setNotice(services.database, session.id, answer.notice);
  else if (answer.kind === 'page' && session.notice !== null)
    await setNotice(services.database, session.id, null);
  await writeAnswer(context, request, answer);
}

/** Pages of API access are in English, as the documentation is: their readers are developers. */
async function answerOf(page: AccountPage, request: AccountRequest): Promise<PageAnswer> {
  if (page.needs !== 'develop' || language() === 'en') return page.handle(request);
  const answer = await inLanguage('en', () => page.handle(request));
  if (answer.kind !== 'page') return answer;
  const content = html`<div class="english" lang="en">${ownHtml(answer.content.toString())}</div>`;
  return { ...answer, content };
}

/** The token of the session's cookie, valid or not. */
export const sessionTokenOf = (tools: PortalTools, context: RouterContext) =>
  readToken(context.headers.cookie, tools.cookies.session.name);

/** What every page gets of a request. */
export const requestOf = (tools: PortalTools, context: RouterContext, form: Form) => ({
  path: context.path,
  params: context.params,
  query: new URLSearchParams(context.querystring),
  form,
  sourceAddress: addressOf(tools.services, context),
  sessionToken: sessionTokenOf(tools, context),
  halfToken: readToken(context.headers.cookie, tools.cookies.half.name),
  deviceToken: readToken(context.headers.cookie, tools.cookies.device.name),
});

/** After sign-in the requested page is shown; a sent form is not sent again. */
export function askToSignIn({ site }: PortalTools, page: PageRoute, context: RouterContext): void {
  const query =
    page.path === '/sign-out'
      ? 'out=yes'
      : page.method === 'POST'
        ? 'ended=yes'
        : `next=${encodeURIComponent(context.path)}`;
  context.redirect(`${site.basePath}/sign-in?${query}`);
  context.status = 303;
}

function writeFile(context: RouterContext, file: FileAnswer): void {
  context.status = 200;
  context.set('Content-Disposition', `attachment; filename="${file.name}"`);
  context.type = `${file.type}; charset=utf-8`;
  context.body = file.content;
}

async function writeAnswer(
  context: RouterContext,
  tools: PortalTools,
  answer: PageAnswer,
): Promise<void> {
  if (answer.kind === 'problem') return writeProblem(context, tools, answer);
  if (answer.kind === 'file') return writeFile(context, answer);
  for (const cookie of answer.setCookies ?? []) context.append('Set-Cookie', cookie);
  if (answer.kind === 'page') return writePage(context, tools, answer);
  context.redirect(answer.to);
  // With 303 the browser requests the next page by GET.
  context.status = 303;
}
