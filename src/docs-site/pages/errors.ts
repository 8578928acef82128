import type { SurfaceRoutes } from '../../http/app.ts';
import { codeAnchor, REASON_HEADER, reasonAnchor } from '../../http/envelope.ts';
import { once } from '../../http/once.ts';
import { type ErrorCode, errorCodes } from '../../openapi/error-codes.ts';
import { type Html, html } from '../../rendering/html.ts';
import { DOCS_PATH, type DocsPage, type SearchEntry } from '../page.ts';
import { operationAddress } from '../reference-paths.ts';
import { richText } from './rich-text.ts';

/** Every statusCode of both APIs: what it means, and what to do. */
export function errorsPage(
  surfaces: readonly { readonly title: string; readonly routes: SurfaceRoutes }[],
): DocsPage {
  const parts = once(() =>
    surfaces.map(({ title, routes }) => ({ title, routes, codes: errorCodes(routes) })),
  );
  return {
    path: '/errors',
    title: 'Errors',
    summary: 'Every code of both APIs: what it means, and what to do',
    write: () => ({ markdown: asText(parts()), content: asPage(parts()) }),
    entries: () =>
      parts().flatMap(({ title, routes, codes }) =>
        codes.map((one) => entryOf(title, routes, one)),
      ),
  };
}

interface Part {
  readonly title: string;
  readonly routes: SurfaceRoutes;
  readonly codes: readonly ErrorCode[];
}

const asPage = (parts: readonly Part[]): Html => html`<h1>Errors</h1>
<p>A refusal has the envelope <code>{ success: false, message, statusCode, data }</code>. The partner API answers
<code>statusCode</code> as the HTTP status, the merchant API its first three digits: 4032 comes with HTTP 403.
The header <code>${REASON_HEADER}</code> names the reason, which tells the meanings of one code apart; partners also
find it in <code>data.reason</code>. The header <code>Link</code> leads to the line of that reason.
<a href="${DOCS_PATH}/guides/handle-errors">Handle errors</a> says how a program treats them. A request
is repeated under the same idempotency key.</p>
${parts.map(
  ({ title, routes, codes }) =>
    html`<section><h2>${title}</h2>${codes.map((one) => codeCard(routes, one))}</section>`,
)}`;

/** The same for programs. */
const asText = (parts: readonly Part[]): string =>
  [
    '# Errors',
    'A refusal has the envelope `{ success: false, message, statusCode, data }`, and names its reason in the ' +
      `header \`${REASON_HEADER}\`.`,
    ...parts.flatMap(({ title, codes }) => [
      `## ${title}`,
      ...codes.flatMap(({ statusCode, httpStatus, meanings }) => [
        `### ${statusCode}${statusCode === httpStatus ? '' : ` (HTTP ${httpStatus})`}`,
        meanings
          .map(({ reason, message, remedy }) => `- \`${reason}\`: ${message}. ${remedy}.`)
          .join('\n'),
      ]),
    ]),
    '',
  ].join('\n\n');

const codeCard = (
  routes: SurfaceRoutes,
  one: ErrorCode,
): Html => html`<section class="card code-card" id="${codeAnchor(routes.surface, one.statusCode)}">
<h3>${one.statusCode} ${one.statusCode !== one.httpStatus && html`<span class="quiet">HTTP ${one.httpStatus}</span>`}</h3>
<dl>${one.meanings.map(
  ({
    reason,
    message,
    remedy,
    endpoints,
  }) => html`<dt id="${reasonAnchor(routes.surface, one.statusCode, reason)}">${message}</dt>
<dd>${richText(remedy)}. <span class="quiet"><code>${reason}</code>; ${
    endpoints.length === routes.endpoints.length
      ? 'every endpoint'
      : endpoints.map(
          (endpoint) =>
            html`<a href="${operationAddress(routes.surface, endpoint)}">${endpoint.summary}</a> `,
        )
  }</span></dd>`,
)}</dl></section>`;

const entryOf = (title: string, routes: SurfaceRoutes, one: ErrorCode): SearchEntry => ({
  title: `${title}: ${one.statusCode}`,
  url: `${DOCS_PATH}/errors#${codeAnchor(routes.surface, one.statusCode)}`,
  text: one.meanings.map(({ reason, message }) => `${reason} ${message}`).join(' '),
});
