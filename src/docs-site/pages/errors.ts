import type { Remedy } from '../../domain/reasons.js';
import type { SurfaceRoutes } from '../../http/app.js';
import { type ErrorCode, errorCodes } from '../../openapi/error-codes.js';
import { type Html, html } from '../../process/html.js';
import { DOCS_PATH, type DocsPage, type SearchEntry } from '../page.js';
import { operationAnchor } from './reference.js';

const TO_DO: Readonly<Record<Remedy, string>> = {
  none: 'Nothing: a repetition gets the same answer.',
  correct: 'Correct the request.',
  repeat: 'Repeat the same request, under the same idempotency key.',
  wait: 'Wait as long as Retry-After says, then repeat the same request.',
};

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
<a href="${DOCS_PATH}/guides/handle-errors">Handle errors</a> says how a program treats them.</p>
${parts.map(
  ({ title, routes, codes }) =>
    html`<section><h2>${title}</h2>${codes.map((one) => codeCard(routes, one))}</section>`,
)}`,
    entries: parts.flatMap(({ title, routes, codes }) =>
      codes.map((one) => entryOf(title, routes, one)),
    ),
  };
}

const anchorOf = ({ surface }: SurfaceRoutes, { statusCode }: ErrorCode): string =>
  `${surface}-${statusCode}`;

const codeCard = (
  routes: SurfaceRoutes,
  one: ErrorCode,
): Html => html`<section class="card code-card" id="${anchorOf(routes, one)}">
<h3>${one.statusCode} ${one.statusCode !== one.httpStatus && html`<span class="quiet">HTTP ${one.httpStatus}</span>`}</h3>
<dl>${one.meanings.map(
  ({ reason, message, remedy, endpoints }) => html`<dt>${message}</dt>
<dd>${TO_DO[remedy]} <span class="quiet"><code>${reason}</code>; ${
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
  url: `${DOCS_PATH}/errors#${anchorOf(routes, one)}`,
  text: one.meanings.map(({ reason, message }) => `${reason} ${message}`).join(' '),
});
