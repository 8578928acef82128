import { html } from '../../rendering/html.ts';
import { guides } from '../guides.ts';
import { TITLE } from '../layout.ts';
import { DOCS_PATH, type DocsPage } from '../page.ts';
import { richText } from './rich-text.ts';

/** The first page: where to begin, by what a reader wants. */
export const homePage: DocsPage = {
  path: '',
  title: TITLE,
  content: html`<h1>${TITLE}</h1>
<p>Partners sell gift vouchers, airtime and packages through the partner API. Merchants claim and redeem vouchers
through the merchant API; the money reaches them by mobile money.</p>
<div class="card"><h2>Begin</h2>
<ul><li><a href="${DOCS_PATH}/guides/first-call-partner">Partners: the first call in five minutes</a></li>
<li><a href="${DOCS_PATH}/guides/first-call-merchant">Merchants: the first signed call in five minutes</a></li></ul></div>
<div class="card"><h2>Reference</h2>
<ul><li><a href="${DOCS_PATH}/partner">Partner API</a> (<a href="${DOCS_PATH}/partner/openapi.json">OpenAPI</a>)</li>
<li><a href="${DOCS_PATH}/merchant">Merchant API</a> (<a href="${DOCS_PATH}/merchant/openapi.json">OpenAPI</a>)</li>
<li><a href="${DOCS_PATH}/errors">Errors: every code, and what to do</a></li></ul></div>
<div class="card"><h2>Guides</h2>
<ul>${guides.map(
    ({ path, title, summary }) =>
      html`<li><a href="${DOCS_PATH}${path}">${title}</a> <span class="quiet">${richText(summary)}</span></li>`,
  )}</ul></div>`,
  entries: [],
};
