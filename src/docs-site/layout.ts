import { fileURLToPath } from 'node:url';
import type { Surface } from '../domain/refusals.ts';
import { readAsset, readModules } from '../http/files.ts';
import { endpointGroups } from '../openapi/both-documents.ts';
import { assets as portalAssets } from '../pages/layout/assets.ts';
import { type Html, html } from '../rendering/html.ts';
import { guides } from './markdown.ts';
import { DOCS_PATH, markdownPath } from './page.ts';
import { indexPath, operationPath } from './pages/reference.ts';

const folder = new URL('./assets/', import.meta.url);

const [signModule, ...signImports] = readModules(
  fileURLToPath(new URL('sign.js', folder)),
  DOCS_PATH,
);

/** The files of pages in addition to the portal's style and logo, which they share. */
export const ownAssets = {
  stylesheet: readAsset(folder, 'docs.css', DOCS_PATH),
  /** Tabs of languages, buttons that copy, and marks in the lists at the side of a page. */
  script: readAsset(folder, 'docs.js', DOCS_PATH),
  /** Sends the calls of forms; the portal's console has it, too. */
  tryItScript: readAsset(folder, 'try-it.js', DOCS_PATH),
  /** Signs a merchant's call in the browser; "Try it" imports it when it is needed. */
  signModule,
};

/** What the modules of `ownAssets` import. */
export const importedAssets = signImports;

export const sharedAssets = { stylesheet: portalAssets.stylesheet, logo: portalAssets.logo };

interface Entry {
  readonly path: string;
  readonly label: string;
}

/** Links under a name of their own. */
interface Group {
  readonly name?: string;
  readonly entries: readonly Entry[];
}

/**
 * The list at the side of every page: the part that the page belongs to is open, and the page is
 * marked.
 */
function menu(here: string): Html {
  const parts = [
    {
      title: 'Guides',
      groups: [{ entries: guides().map(({ path, title }) => ({ path, label: title })) }],
    },
    { title: 'Partner API', groups: referenceGroups('partner') },
    { title: 'Merchant API', groups: referenceGroups('merchant') },
  ];
  const isHere = ({ entries }: Group) => entries.some(({ path }) => path === here);
  const open = parts.find(({ groups }) => groups.some(isHere)) ?? parts[0];
  const list = ({ name, entries }: Group) =>
    html`${name && html`<p class="menu-group">${name}</p>`}<ul>${entries.map((entry) => link(entry, here))}</ul>`;
  return html`<nav id="menu" class="menu" aria-label="Documentation">
${parts.map(
  (part) => html`<details${part === open && html` open`}><summary>${part.title}</summary>
${part.groups.map(list)}</details>
`,
)}<ul>${FURTHER.map((entry) => link(entry, here))}</ul>
<a class="menu-close" href="#main">Close the menu</a>
</nav>`;
}

const FURTHER: readonly Entry[] = [
  { path: '/errors', label: 'Errors' },
  { path: '/downloads', label: 'Downloads' },
  { path: '/changelog', label: 'Changelog' },
];

const referenceGroups = (surface: Surface): Group[] => [
  { entries: [{ path: indexPath(surface), label: 'All endpoints' }] },
  ...endpointGroups(surface).map(({ name, endpoints }) => ({
    name,
    entries: endpoints.map((endpoint) => ({
      path: operationPath(surface, endpoint),
      label: endpoint.summary,
    })),
  })),
];

const link = ({ path, label }: Entry, here: string): Html =>
  html`<li><a href="${DOCS_PATH}${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`;

/** A whole page of the site, with its menu and the field of the search. */
export const layout = (page: {
  readonly title: string;
  readonly path: string;
  readonly content: Html;
  readonly query?: string;
  /** Results of a search, for example, are not served as Markdown. */
  readonly hasMarkdown: boolean;
}): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title === TITLE ? TITLE : `${page.title} · ${TITLE}`}</title>
<link rel="icon" href="${sharedAssets.logo.path}" type="image/svg+xml">
${page.hasMarkdown && html`<link rel="alternate" type="text/markdown" href="${markdownPath(page)}">`}
<link rel="stylesheet" href="${sharedAssets.stylesheet.path}">
<link rel="stylesheet" href="${ownAssets.stylesheet.path}">
<script src="${ownAssets.script.path}" defer></script>
<script src="${ownAssets.tryItScript.path}" defer></script>
</head>
<body class="signed-in docs">
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="top">
<a class="brand" href="${DOCS_PATH}"><img src="${sharedAssets.logo.path}" alt="" width="32" height="32">
<span>${TITLE}</span></a>
<form class="search" action="${DOCS_PATH}/search" method="get" role="search">
<input type="search" name="q" value="${page.query ?? ''}" aria-label="Search the documentation" placeholder="Search" required>
<button class="secondary">Search</button>
</form>
<a href="/portal">Portal</a>
<a class="menu-link" href="#menu">Menu</a>
</div>
</header>
<div class="frame">
${menu(page.path)}
<main id="main" tabindex="-1">
${page.content}
${page.hasMarkdown && html`<p class="as-markdown"><a href="${markdownPath(page)}">This page as Markdown</a></p>`}
</main>
</div>
</body>
</html>
`.toString();

export const TITLE = 'Voucher API documentation';
