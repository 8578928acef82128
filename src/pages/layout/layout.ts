import type { Context } from 'koa';
import { ownAssets } from '../../docs-site/layout.ts';
import { DOCS_PATH } from '../../docs-site/page.ts';
import { staffRoleMeanings } from '../../domain/staff.ts';
import { allowCalls } from '../../http/headers.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { language, writeHtml } from '../language/language.ts';
import { offsetText, timeZone } from '../language/time-zone.ts';
import { type PageAnswer, type PageTools, type Site, type View, viewOf } from '../page.ts';
import { accountPath } from '../session/session.ts';
import { assets } from './assets.ts';
import { formTokenField } from './parts.ts';

type PageContent = Omit<Extract<PageAnswer, { kind: 'page' }>, 'kind' | 'setCookies'>;

/** Writes a whole page: environment, navigation of the signed-in person, and content. */
export function writePage(context: Context, tools: PageTools, page: PageContent): void {
  const view = viewOf(context);
  const { site } = tools;
  const { environment } = tools.services.settings.process;
  context.status = page.status ?? 200;
  context.state.statusCode = context.status;
  if (page.retryAfterSeconds) context.set('Retry-After', String(page.retryAfterSeconds));
  const { refreshSeconds = 0, keepsTyping = false } = page;
  if (refreshSeconds > 0 && !keepsTyping) context.set('Refresh', String(refreshSeconds));
  if (page.callsApi) allowCalls(context);
  context.type = 'text/html; charset=utf-8';
  context.body = writeHtml(html`<!doctype html>
<html lang="${language()}">
<head>
${headOf(html`${phrase(page.title)}${view && html` · ${view.session.companyName}`} · ${phrase(site.name)}`)}
<script src="${assets.pageScript.path}" defer></script>
${keepsTyping && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
${page.callsApi && html`<script src="${ownAssets.tryItScript.path}" defer></script>`}
</head>
<body class="${view ? 'signed-in' : 'signed-out'}"${keepsTyping && html` data-refresh="${refreshSeconds}"`}>
<a class="skip" href="#main">Skip to the content</a>
<header>
${environmentBanner(environment)}
${topBar(site, view)}
</header>
<div class="frame">
${view && view.menu.length > 0 && menu(site, view, page.shownAt ?? context.path)}
<main id="main" tabindex="-1">
${view?.session.notice ? html`<p class="message success" role="status">${phrase(view.session.notice)}</p>` : ''}
${page.content}
</main>
</div>
<footer class="foot">${!site.isForStaff && html`<p>${phrase(environmentWords[environment].foot)}</p>`}
${view && zoneNote(site)}</footer>
</body>
</html>
`);
}

/** The head of every page, but for its scripts. */
export const headOf = (title: Html): Html => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assets.logo.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.stylesheet.path}">`;

/** The time zone of a person of the service is the market's. */
const zoneNote = (site: Site): Html =>
  site.isForStaff
    ? html`<p>Times are in ${timeZone().replaceAll('_', ' ')} (UTC${offsetText(new Date())}).</p>`
    : html`<p>Times are in ${timeZone().replaceAll('_', ' ')} (UTC${offsetText(new Date())}):
<a href="${accountPath(site)}">change the time zone</a>.</p>`;

const environmentWords = {
  test: {
    label: 'Test environment',
    text: 'Try everything: no real money moves here.',
    foot: 'Test environment. Keys begin with gvs_test_.',
  },
  production: {
    label: 'Live environment',
    text: 'Real money moves here.',
    foot: 'Live environment. Keys begin with gvs_live_.',
  },
} as const;

const environmentBanner = (environment: keyof typeof environmentWords) =>
  html`<p class="environment ${environment}"><strong>${phrase(environmentWords[environment].label)}</strong>
<span>${phrase(environmentWords[environment].text)}</span></p>`;

const topBar = (site: Site, view: View | undefined) => html`<div class="top">
<a class="brand" href="${site.basePath}"><img src="${assets.logo.path}" alt="" width="32" height="32">
<span>${phrase(site.name)}</span></a>
${
  view &&
  html`<p class="company">${view.session.companyName}
${badgeOf(view)}</p>
<form class="sign-out" method="post" action="${site.basePath}/sign-out">
${formTokenField(view.formToken)}
<button class="plain">Sign out</button>
</form>
${view.menu.length > 0 && html`<a class="menu-link" href="#menu">Menu</a>`}`
}
</div>`;

/** The kind of the person's company, or the role of a person of the service. */
function badgeOf({ session }: View): Html {
  if ('staff' in session) {
    const { role } = session.staff;
    return html`<span class="badge" title="${staffRoleMeanings[role]}">${role.toLowerCase()}</span>`;
  }
  return html`<span class="badge">${phrase(session.company.kind === 'partner' ? 'Partner' : 'Merchant')}</span>`;
}

function menu(site: Site, view: View, path: string): Html {
  const { basePath } = site;
  const isCurrent = (entry: string) =>
    entry === basePath ? path === entry : path === entry || path.startsWith(`${entry}/`);
  const groups = view.menu.map(({ group, entries }) => {
    const links = entries.map(({ label, path: end, further = [], count = 0 }) => {
      const isHere = [end, ...further].some((one) => isCurrent(basePath + one));
      const current = isHere ? html` aria-current="page"` : '';
      return html`<li><a href="${basePath + end}"${current}>${phrase(label)}${
        count > 0 && html` <span class="badge warning">${count}</span>`
      }</a></li>`;
    });
    if (links.length === 0) return html``;
    return html`<h2>${phrase(group)}</h2><ul>${links}</ul>`;
  });
  return html`<nav id="menu" class="menu" aria-label="${phrase(site.isForStaff ? 'Support' : 'Portal')}">
${groups}
<h2>Help</h2><ul><li><a href="${DOCS_PATH}">Documentation</a></li></ul>
<a class="menu-close" href="#main">Close the menu</a>
</nav>`;
}
