import type { Context } from 'koa';
import { ownAssets } from '../../docs-site/layout.ts';
import { DOCS_PATH } from '../../docs-site/page.ts';
import { mayUse, type PortalNeed } from '../../domain/access.ts';
import { staffRoleMeanings } from '../../domain/staff.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import { allowCalls } from '../../http/headers.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { language, writeHtml } from '../language/language.ts';
import { type MenuEntry, type PortalTools, type Site, type View, viewOf } from '../page.ts';
import { assets } from '../portal/assets.ts';
import { offsetText, timeZone } from '../session/preferences.ts';
import { accountPath, pathBeforeAllElse } from '../session/session.ts';
import { formTokenField } from './parts.ts';

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
  const { site } = tools;
  const { environment } = tools.services.settings.process;
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
<title>${phrase(page.title)}${view && html` · ${view.session.companyName}`} · ${phrase(site.name)}</title>
<link rel="icon" href="${assets.logo.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.stylesheet.path}">
<script src="${assets.copyScript.path}" defer></script>
${page.callsApi && html`<script src="${ownAssets.tryItScript.path}" defer></script>`}
</head>
<body class="${view ? 'signed-in' : 'signed-out'}">
<a class="skip" href="#main">Skip to the content</a>
<header>
${environmentBanner(environment)}
${topBar(site, view)}
</header>
<div class="frame">
${view && !pathBeforeAllElse(site, view.session) && menu(site, view, context.path)}
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
${!pathBeforeAllElse(site, view.session) && html`<a class="menu-link" href="#menu">Menu</a>`}`
}
</div>`;

/** What the person is: the kind of the company, or the role of a person of the service. */
function badgeOf({ session }: View): Html {
  if ('staff' in session) {
    const { role } = session.staff;
    return html`<span class="badge" title="${staffRoleMeanings[role]}">${role.toLowerCase()}</span>`;
  }
  return html`<span class="badge">${phrase(session.company.kind === 'partner' ? 'Partner' : 'Merchant')}</span>`;
}

function menu(site: Site, { session }: View, path: string): Html {
  const { basePath } = site;
  const isCurrent = (entry: string) =>
    entry === basePath ? path === entry : path === entry || path.startsWith(`${entry}/`);
  const groups = site.menuOf(session).map(({ group, entries }) => {
    const links = entries.map(({ label, path: end, further = [] }) => {
      const isHere = [end, ...further].some((one) => isCurrent(basePath + one));
      const current = isHere ? html` aria-current="page"` : '';
      return html`<li><a href="${basePath + end}"${current}>${phrase(label)}</a></li>`;
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

export interface NavigationEntry extends MenuEntry {
  /** As the page of this path needs it. */
  readonly needs: PortalNeed;
  /** Only for companies of this kind. */
  readonly kind?: CompanyKind;
}

/** The entries of the portal's menu. */
export const navigation: readonly {
  readonly group: string;
  readonly entries: readonly NavigationEntry[];
}[] = [
  {
    group: 'Business',
    entries: [
      { label: 'Overview', path: '', needs: 'read' },
      { label: 'Balances', path: '/balances', needs: 'read', kind: 'partner' },
      { label: 'Vouchers', path: '/vouchers', needs: 'read', kind: 'partner' },
      {
        label: 'Bulk orders',
        path: '/bulk-orders',
        needs: 'read',
        kind: 'partner',
        further: ['/order-in-bulk'],
      },
      { label: 'Top-ups', path: '/top-ups', needs: 'read', kind: 'partner' },
      { label: 'Prices', path: '/prices', needs: 'read', kind: 'partner' },
      { label: 'Packages', path: '/packages', needs: 'read', kind: 'partner' },
      { label: 'Sales', path: '/sales', needs: 'read', kind: 'partner' },
      { label: 'Redemptions', path: '/redemptions', needs: 'read', kind: 'merchant' },
      { label: 'Payouts', path: '/payouts', needs: 'read', kind: 'merchant' },
      { label: 'Statements', path: '/statements', needs: 'export' },
    ],
  },
  {
    group: 'API access',
    entries: [
      { label: 'Getting started', path: '/getting-started', needs: 'develop', kind: 'merchant' },
      {
        label: 'Keys and addresses',
        path: '/access',
        needs: 'develop',
        further: ['/keys', '/addresses', '/public-keys'],
      },
      { label: 'Webhooks', path: '/webhooks', needs: 'develop' },
      { label: 'Try it', path: '/try-it', needs: 'develop' },
      { label: 'Activity', path: '/activity', needs: 'develop' },
    ],
  },
  {
    group: 'You',
    entries: [
      { label: 'People', path: '/people', needs: 'people' },
      { label: 'Account', path: '/account', needs: 'own' },
    ],
  },
];

/** The menu of a person of a company, by kind and role. */
export const portalMenu: Site['menuOf'] = (session) =>
  'staff' in session
    ? []
    : navigation.map(({ group, entries }) => ({
        group,
        entries: entries
          .filter(({ kind }) => kind === undefined || kind === session.company.kind)
          .filter(({ needs }) => mayUse(session.role, needs)),
      }));
