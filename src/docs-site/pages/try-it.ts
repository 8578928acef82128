import type { OperationObject, ParameterObject } from 'openapi3-ts/oas31';
import type { Endpoint } from '../../http/endpoint.ts';
import { jsonExample } from '../../openapi/document.ts';
import { type Html, html } from '../../rendering/html.ts';
import type { SearchEntry } from '../page.ts';

/** A call that a form sends. */
export interface TriedCall {
  readonly endpoint: Endpoint;
  /** As the document writes it, with the base address. */
  readonly url: string;
  readonly operation: OperationObject;
}

/** The form of a call in the reference. Signed calls are sent by the console of the portal. */
export const tryIt = (call: TriedCall): Html =>
  call.endpoint.access === 'signed'
    ? html`<p>Try it with a signature in the <a href="/portal/try-it">console of the portal</a>.</p>`
    : html`<details class="try-it"><summary>Try it</summary>
${callForm(call)}
<p class="quiet">The call goes from your browser: your address must be registered, and the key a test key.</p>
</details>`;

/** A form whose call the script sends from the browser, and the place of its answer. */
export function callForm({ endpoint, url, operation }: TriedCall): Html {
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  const fields = parameters.filter(
    ({ name }) => !name.startsWith('filter.') && name !== 'x-signature',
  );
  const body = jsonExample(operation.requestBody);
  return html`<form class="call" data-try-it data-method="${endpoint.method}" data-url="${url}"${
    endpoint.access === 'signed' && html` data-signed`
  }>
${endpoint.access !== 'public' && field({ name: 'x-api-token', label: 'Access token', place: 'token' })}
${fields.map(({ name, in: place }) => field({ name, label: name, place }))}
${
  body !== undefined &&
  html`<label>Body<textarea name="body" rows="8" spellcheck="false">${JSON.stringify(body, null, 2)}</textarea></label>`
}
<button>Send</button>
<div class="answer" data-answer role="status"></div>
</form>`;
}

const field = (one: { readonly name: string; readonly label: string; readonly place: string }) =>
  html`<label>${one.label}<input name="${one.name}" data-place="${one.place}" autocomplete="off" spellcheck="false"></label>`;

const MAXIMUM_FOUND = 30;
const MAXIMUM_QUERY = 100;
const EXCERPT = 160;

/** What a search found: the places that hold each of its words, those with them in the title first. */
export function searchResults(entries: readonly SearchEntry[], query: string): Html {
  const words = query.slice(0, MAXIMUM_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAXIMUM_FOUND);
  return html`<h1>Search</h1>
<p role="status">${found.length === 0 ? `Nothing found for “${query}”.` : `${found.length} found for “${query}”.`}</p>
<ul class="found">${found.map(
    ({ entry }) => html`<li><a href="${entry.url}">${entry.title}</a>
<p class="quiet">${excerpt(entry.text, words)}</p></li>`,
  )}</ul>`;
}

function scoreOf({ title, text, keywords = '' }: SearchEntry, words: readonly string[]): number {
  const [inTitle, inText] = [title.toLowerCase(), `${text} ${keywords}`.toLowerCase()];
  if (words.length === 0 || !words.every((word) => inTitle.includes(word) || inText.includes(word)))
    return 0;
  return 1 + words.filter((word) => inTitle.includes(word)).length * 10;
}

function excerpt(text: string, words: readonly string[]): string {
  const plain = text
    .replaceAll(/[#`*|>]|\]\([^)]*\)|\[/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const places = words.map((word) => plain.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...places, plain.length) - EXCERPT / 4);
  return `${start > 0 ? '… ' : ''}${plain.slice(start, start + EXCERPT)}${plain.length > start + EXCERPT ? ' …' : ''}`;
}
