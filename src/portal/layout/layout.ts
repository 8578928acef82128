import type { Context } from 'koa';
import type { PortalSession } from '../../db/portal/portal-sessions.js';
import { ownAssets } from '../../docs-site/assets.js';
import { DOCS_PATH } from '../../docs-site/page.js';
import { mayUse } from '../../domain/portal-role.js';
import { allowCalls } from '../../http/page-headers.js';
import { type Html, html, phrase } from '../../process/html.js';
import { isBeforeAllElse } from '../access/required-set-up.js';
import { assets } from '../assets.js';
import { language, writeHtml } from '../language/language.js';
import { PORTAL_PATH, type PortalTools } from '../page.js';
import { offsetText, timeZone } from '../time-zone.js';
import { type View, viewOf } from '../view.js';
import { navigation } from './navigation.js';
import { formTokenField } from './parts.js';

export interface PageContent {
  readonly title: string;
  readonly content: Html;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly refreshSeconds?: number;
  readonly callsApi?: boolean;
}

/** Writes a whole page: environment, navigation of the signed-in person, and content. */
export function writePage(context: Context, tools: PortalTools, page: PageContent): void {
  const view = viewOf(context);
  const { environment } = tools.services.settings;
  context.status = page.status ?? 200;
  context.state.statusCode = context.status;
  if (page.retryAfterSeconds) context.set('Retry-After', String(page.retryAfterSeconds));
  if (page.refreshSeconds) context.set('Refresh', String(page.refreshSeconds));
  if (page.callsApi) allowCalls(context);
  context.type = 'text/html; charset=utf-8';
  context.body = writeHtml(html`<!doctype html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${phrase(page.title)}${view && html` · ${view.session.companyName}`} · Voucher portal</title>
<link rel="icon" href="${assets.logo.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.stylesheet.path}">
<script src="${assets.copyScript.path}" defer></script>
${page.callsApi && html`<script src="${ownAssets.tryItScript.path}" defer></script>`}
</head>
<body class="${view ? 'signed-in' : 'signed-out'}">
<a class="skip" href="#main">Skip to the content</a>
<header>
${environmentBanner(environment)}
${topBar(view)}
</header>
<div class="frame">
${view && !isBeforeAllElse(view.session) && menu(view.session, context.path)}
<main id="main" tabindex="-1">
${view?.session.notice ? html`<p class="message success" role="status">${phrase(view.session.notice)}</p>` : ''}
${page.content}
</main>
</div>
<footer class="foot"><p>${phrase(environmentWords[environment].foot)}</p>
${view && zoneNote()}</footer>
</body>
</html>
`);
}

const zoneNote =
  (): Html => html`<p>Times are in ${timeZone().replaceAll('_', ' ')} (UTC${offsetText(new Date())}):
<a href="${PORTAL_PATH}/account">change the time zone</a>.</p>`;

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

const topBar = (view: View | undefined) => html`<div class="top">
<a class="brand" href="${PORTAL_PATH}"><img src="${assets.logo.path}" alt="" width="32" height="32">
<span>${phrase('Voucher portal')}</span></a>
${
  view &&
  html`<p class="company">${view.session.companyName}
<span class="badge">${phrase(view.session.company.kind === 'partner' ? 'Partner' : 'Merchant')}</span></p>
<form class="sign-out" method="post" action="${PORTAL_PATH}/sign-out">
${formTokenField(view.formToken)}
<button class="plain">Sign out</button>
</form>
${!isBeforeAllElse(view.session) && html`<a class="menu-link" href="#menu">Menu</a>`}`
}
</div>`;

function menu(session: PortalSession, path: string): Html {
  const isCurrent = (entry: string) =>
    entry === PORTAL_PATH ? path === entry : path === entry || path.startsWith(`${entry}/`);
  const groups = navigation.map(({ group, entries }) => {
    const links = entries
      .filter(({ kind }) => kind === undefined || kind === session.company.kind)
      .filter(({ needs }) => mayUse(session.role, needs))
      .map(({ label, path: end, further = [] }) => {
        const target = PORTAL_PATH + end;
        const isHere = [end, ...further].some((one) => isCurrent(PORTAL_PATH + one));
        const current = isHere ? html` aria-current="page"` : '';
        return html`<li><a href="${target}"${current}>${phrase(label)}</a></li>`;
      });
    if (links.length === 0) return html``;
    return html`<h2>${phrase(group)}</h2><ul>${links}</ul>`;
  });
  return html`<nav id="menu" class="menu" aria-label="Portal">
${groups}
<h2>Help</h2><ul><li><a href="${DOCS_PATH}">Documentation</a></li></ul>
<a class="menu-close" href="#main">Close the menu</a>
</nav>`;
}
