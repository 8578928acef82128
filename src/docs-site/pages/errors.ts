import type { SurfaceRoutes } from '../../http/app.ts';
import { codeAnchor } from '../../http/envelope.ts';
import { type ErrorCode, errorCodes } from '../../openapi/error-codes.ts';
import { type Html, html } from '../../rendering/html.ts';
import { DOCS_PATH, type DocsPage, type SearchEntry } from '../page.ts';
import { operationAnchor } from './reference.ts';
import { richText } from './rich-text.ts';

/** Every statusCode of both APIs: what it means, and what to do. */
export function errorsPage(
  surfaces: readonly { readonly title: string; readonly routes: SurfaceRoutes }[],
): DocsPage {
  const parts = surfaces.map(({ title, routes }) => ({ title, routes, codes: errorCodes(routes) }));
  return {
    path: '/errors',
    title: 'Errors',
    content: html`<h1>Errors</h1>
<p>A refusal has the envelope <code>{ success: false, message, statusCode, data }</code>. The partner API answers
<code>statusCode</code> as the HTTP status, the merchant API its first three digits: 4032 comes with HTTP 403.
<a href="${DOCS_PATH}/guides/handle-errors">Handle errors</a> says how a program treats them. A request
is repeated under the same idempotency key.</p>
${parts.map(
  ({ title, routes, codes }) =>
    html`<section><h2>${title}</h2>${codes.map((one) => codeCard(routes, one))}</section>`,
)}`,
    entries: parts.flatMap(({ title, routes, codes }) =>
      codes.map((one) => entryOf(title, routes, one)),
    ),
  };
}

const codeCard = (
  routes: SurfaceRoutes,
  one: ErrorCode,
): Html => html`<section class="card code-card" id="${codeAnchor(routes.surface, one.statusCode)}">
<h3>${one.statusCode} ${one.statusCode !== one.httpStatus && html`<span class="quiet">HTTP ${one.httpStatus}</span>`}</h3>
<dl>${one.meanings.map(
  ({ reason, message, remedy, endpoints }) => html`<dt>${message}</dt>
<dd>${richText(remedy)}. <span class="quiet"><code>${reason}</code>; ${
    endpoints.length === routes.endpoints.length
      ? 'every endpoint'
      : endpoints.map(
          (endpoint) =>
            html`<a href="${DOCS_PATH}/${routes.surface}#${operationAnchor(endpoint)}">${endpoint.summary}</a> `,
        )
  }</span></dd>`,
)}</dl></section>`;

const entryOf = (title: string, routes: SurfaceRoutes, one: ErrorCode): SearchEntry => ({
  title: `${title}: ${one.statusCode}`,
  url: `${DOCS_PATH}/errors#${codeAnchor(routes.surface, one.statusCode)}`,
  text: one.meanings.map(({ reason, message }) => `${reason} ${message}`).join(' '),
});
