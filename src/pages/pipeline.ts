import type { RouterContext } from '@koa/router';
import { isSameBytes } from '../crypto/digests.ts';
import { randomToken } from '../crypto/random.ts';
import { setNotice } from '../db/people/sign-ins.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import { addressGroup } from '../http/access/source-address.ts';
import { type Quota, refuseTooMany } from '../http/limits/rate-limits.ts';
import { addressOf } from '../http/pipeline.ts';
import { type Html, html, ownHtml } from '../rendering/html.ts';
import { problems, suspendedPage, writeAnswer } from './answers.ts';
import { inLanguage, language, reader } from './language/language.ts';
import { emptyForm, readForm, storable } from './layout/forms.ts';
import { fileForm, postForm } from './layout/parts.ts';
import {
  type AnySite,
  type Form,
  type Menu,
  type PageAnswer,
  type PageTools,
  type PublicRequest,
  redirect,
  type SiteSession,
  setView,
  viewOf,
} from './page.ts';
import { askForProof } from './session/confirmation.ts';
import { readToken } from './session/cookies.ts';
import { isFromHere, pathBeforeAllElse } from './session/session.ts';

/** A request for a page in progress, with the results of the guards. */
interface Visit {
  readonly tools: PageTools;
  readonly site: AnySite;
  readonly page: AnySite['pages'][number];
  readonly context: RouterContext;
  /** Normalised; empty where the connection has no readable address. */
  readonly sourceAddress: string;
  session?: SiteSession;
  formToken: string;
  form: Form;
}

/** The answer that ends the request, or undefined where it goes on. */
type Verdict = PageAnswer | Refusal | undefined;

/** One guard: it answers in place of the page, or stores its result in the visit. */
type Guard = (visit: Visit) => Verdict | Promise<Verdict>;

const quota = (spent: Quota): Verdict => (spent.ok ? undefined : refuseTooMany(spent));

/**
 * The guards of every page of both sites, in their order: the first answer ends the request. A
 * person who must set up the own account is led there before the role is compared. So a password
 * that somebody else has seen opens nothing, not even what the role includes. A form is read last:
 * strangers, and people who may not send it, send no data.
 */
const guards: readonly Guard[] = [
  // The rate limit of the address.
  async ({ tools, sourceAddress }) =>
    quota(await tools.services.rateLimits.spend('address', addressGroup(sourceAddress))),
  // The origin of a form.
  ({ page, context, tools }) =>
    page.method === 'POST' && !isFromHere(context.headers, tools.services.settings.http.publicUrl)
      ? problems.formNotAccepted
      : undefined,
  // Maintenance.
  ({ page, tools }) =>
    page.method === 'POST' && !page.changesNothing && tools.services.fence.isFenced()
      ? refuse('unavailable', { retryAfterSeconds: 30 })
      : undefined,
  findSession,
  // The language and the time zone of the person.
  ({ session }) => {
    if (session === undefined || 'staff' in session) return undefined;
    const chosen = reader();
    chosen.language = session.language ?? chosen.language;
    chosen.zone = session.timeZone ?? chosen.zone;
    return undefined;
  },
  // The rate limit of the company.
  async ({ tools, session }) => {
    if (session === undefined || session.company.kind === 'staff') return undefined;
    const { kind, id } = session.company;
    return quota(await tools.services.rateLimits.spend('company', `${kind} ${id}`));
  },
  // The state of the company.
  ({ page, session }) => {
    if (page.access === 'anyone' || page.always || !session || 'staff' in session) return undefined;
    return session.companyStatus === 'ACTIVE' ? undefined : suspendedPage(session);
  },
  // What the person must set up first.
  ({ site, page, session }) => {
    if (page.access === 'anyone' || page.always || !session) return undefined;
    const to = pathBeforeAllElse(site, session);
    return to === undefined ? undefined : redirect(to);
  },
  // The kind of the company.
  ({ page, session }) =>
    page.access === 'person' && page.kind !== undefined && page.kind !== session?.company.kind
      ? problems.notFound
      : undefined,
  // The role.
  ({ site, page, session }) =>
    page.access === 'person' && !(session && site.mayUse(session, page.needs))
      ? problems.notYourRole
      : undefined,
  // The form.
  async (visit) => {
    const form = await readForm(visit.page, visit.context.req);
    if ('ok' in form) return form;
    visit.form = form;
    return undefined;
  },
  // The token of the form.
  ({ page, form, formToken }) =>
    page.method === 'POST' && !isSameBytes(form.text('token'), formToken)
      ? problems.formNotAccepted
      : undefined,
  // The confirmation of what the form changes.
  ({ page, session, ...visit }) => {
    if (page.access === 'anyone' || !session || typeof page.confirmation !== 'function')
      return undefined;
    const encoding = page.form === undefined ? postForm : fileForm;
    return askForProof({ ...requestOf(visit), session }, page.confirmation, encoding);
  },
];

/** Finds the session of the cookie, or, for a page without sign-in, the visit that its form belongs to. */
async function findSession(visit: Visit): Promise<Verdict> {
  const { tools, site, page, context } = visit;
  const { services, cookies } = tools;
  if (page.access === 'anyone') {
    // Unlike "no-referrer", this keeps the origin of forms.
    if (page.hasSecretPath) context.set('Referrer-Policy', 'strict-origin');
    // Forms without a session belong to their own cookie, which prevents login CSRF.
    const known = readToken(context.headers.cookie, cookies.visit.name);
    const token = known ?? randomToken();
    if (known === undefined) context.append('Set-Cookie', cookies.visit.set(token));
    visit.formToken = services.digests.portalForm(token);
    return undefined;
  }
  const token = readToken(context.headers.cookie, cookies.session.name);
  const session =
    token === undefined
      ? undefined
      : await site.findSession(
          services.database,
          services.digests.stored.portalSession(token),
          !(page.refreshes && isByItself(context)),
        );
  if (token === undefined || session === undefined) return askToSignIn(visit);
  visit.session = session;
  visit.formToken = services.digests.portalForm(token);
  setView(context, { session, formToken: visit.formToken, menu: menuOf(site, session) });
  const { kind, id } = session.company;
  Object.assign(context.state.log, kind === 'staff' ? { staffId: id } : { companyId: id });
  return undefined;
}

/**
 * Whether the browser may ask for a page that `refreshes` without its person (Fetch Metadata). Safari never says that
 * its person asks: such a browser keeps the session alive by every other page.
 */
const isByItself = ({ headers }: RouterContext): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && !headers['sec-fetch-user'];

/** After sign-in the requested page is shown; a sent form is not sent again. */
function askToSignIn({ site, page, context }: Visit): PageAnswer {
  const query =
    page.path === '/sign-out'
      ? 'out=yes'
      : page.method === 'POST'
        ? 'ended=yes'
        : `next=${encodeURIComponent(context.path)}`;
  return redirect(`${site.basePath}/sign-in?${query}`);
}

/** The entries of the menu that the person may use; none before everything is set up. */
function menuOf(site: AnySite, session: SiteSession): Menu {
  if (pathBeforeAllElse(site, session) !== undefined) return [];
  const { kind } = session.company;
  const mayOpen = ({ path }: { readonly path: string }): boolean => {
    const page = site.pages.find((one) => one.method === 'GET' && one.path === path);
    return (
      page?.access === 'person' && (page.kind ?? kind) === kind && site.mayUse(session, page.needs)
    );
  };
  return site.menu.map(({ group, entries }) => ({ group, entries: entries.filter(mayOpen) }));
}

/** Counts what waits behind the menu, for an answer that shows it. */
async function countMenu(
  { tools, site, context }: Visit,
  session: SiteSession,
  answer: PageAnswer | Refusal,
): Promise<void> {
  const view = viewOf(context);
  const isShown = !('ok' in answer) && (answer.kind === 'page' || answer.kind === 'problem');
  if (!isShown || !view || view.menu.length === 0) return;
  const counts = (await site.countsOfMenu?.(tools.services.database, session)) ?? {};
  const menu = view.menu.map(({ group, entries }) => ({
    group,
    entries: entries.map((entry) => ({ ...entry, count: counts[entry.path] })),
  }));
  setView(context, { ...view, menu });
}

/** What every page gets of a request. */
const requestOf = ({
  tools,
  context,
  ...read
}: Pick<Visit, 'tools' | 'context' | 'form' | 'formToken' | 'sourceAddress'>): PublicRequest => ({
  ...tools,
  path: context.path,
  params: Object.fromEntries(
    Object.entries<string>(context.params).map(([name, text]) => [name, storable(text)]),
  ),
  query: new URLSearchParams(context.querystring.replaceAll('%00', storable('\0'))),
  form: read.form,
  formToken: read.formToken,
  sourceAddress: read.sourceAddress,
  sessionToken: readToken(context.headers.cookie, tools.cookies.session.name),
  halfToken: readToken(context.headers.cookie, tools.cookies.half.name),
  deviceToken: readToken(context.headers.cookie, tools.cookies.device.name),
});

/**
 * Passes a request through the guards to its page, and writes the answer. The log never contains parts
 * of a form, a cookie or a query.
 */
export async function handlePage(
  tools: PageTools,
  site: AnySite,
  page: Visit['page'],
  context: RouterContext,
): Promise<void> {
  const { basePath } = site;
  Object.assign(context.state.log, { route: basePath + page.path, surface: basePath.slice(1) });
  const visit: Visit = {
    tools,
    site,
    page,
    context,
    sourceAddress: addressOf(tools.services, context),
    formToken: '',
    form: emptyForm,
  };
  const verdict = await verdictOf(visit);
  // A form that fails from here on may have changed something.
  context.state.mayChange = !verdict && page.method === 'POST' && !page.changesNothing;
  const answer = verdict ?? (await answerOf(visit));
  if (visit.session) {
    await countMenu(visit, visit.session, answer);
    await keepNotice(tools, visit.session, answer);
  }
  writeAnswer(context, tools, answer);
}

async function verdictOf(visit: Visit): Promise<Verdict> {
  for (const guard of guards) {
    const verdict = await guard(visit);
    if (verdict) return verdict;
  }
  return undefined;
}

async function answerOf({ page, session, ...visit }: Visit): Promise<PageAnswer> {
  const request = requestOf(visit);
  if (page.access === 'anyone') return titled(page, await page.handle(request));
  if (!session) throw new Error('The guards let nobody without a session to this page');
  const handle = async () => titled(page, await page.handle({ ...request, session }));
  return page.needs === 'develop' && language() !== 'en' ? inEnglish(handle) : handle();
}

const titled = ({ title = '' }: { readonly title?: string }, answer: PageAnswer | Html) =>
  'kind' in answer ? answer : ({ kind: 'page', title, content: answer } as const);

/** Pages of API access are in English, as the documentation is: their readers are developers. */
async function inEnglish(handle: () => Promise<PageAnswer>): Promise<PageAnswer> {
  const answer = await inLanguage('en', handle);
  if (answer.kind !== 'page') return answer;
  const content = html`<div class="english" lang="en">${ownHtml(answer.content.toString())}</div>`;
  return { ...answer, content };
}

/** Keeps the notice of a redirect for the next page, and forgets a notice that this page shows. */
async function keepNotice(
  { services: { database } }: PageTools,
  session: SiteSession,
  answer: PageAnswer | Refusal,
): Promise<void> {
  if ('ok' in answer) return;
  if (answer.kind === 'redirect' && answer.notice !== undefined)
    await setNotice(database, session.id, answer.notice);
  else if (answer.kind === 'page' && session.notice !== null)
    await setNotice(database, session.id, null);
}
