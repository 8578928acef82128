import { type Html, html } from '../rendering/html.ts';
import { ownAssets, sharedAssets } from './assets.ts';
import { menu } from './menu.ts';
import { DOCS_PATH, markdownPath } from './page.ts';

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
