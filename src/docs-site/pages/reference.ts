import type { OpenAPIObject, OperationObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Surface } from '../../domain/errors.js';
import type { Endpoint } from '../../http/endpoint.js';
import { exampleOf } from '../../openapi/example.js';
import { type Html, html } from '../../process/html.js';
import { DOCS_PATH, type DocsPage, type SearchEntry } from '../page.js';
import { paragraphs, richText } from './rich-text.js';
import { schemaTable } from './schema-table.js';
import { tryIt } from './try-it.js';

interface Place {
  readonly surface: Surface;
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The reference of an API, made of its OpenAPI document; `canTry` where calls move no real money. */
export function referencePage(
  surface: Surface,
  document: OpenAPIObject,
  { canTry }: { readonly canTry: boolean },
): DocsPage {
  const { title, description = '' } = document.info;
  const base = document.servers?.[0]?.url ?? '';
  const places = placesOf(surface, document);
  const groups = (document.tags ?? []).map(
    ({ name, description: about = '' }) => html`<section class="operations">
<h2 id="${anchorOf(name)}">${name}</h2><p>${about}</p>
${places
  .filter(({ operation }) => operation.tags?.includes(name))
  .map((place) => operationCard(place, base, canTry))}
</section>`,
  );
  return {
    path: `/${surface}`,
    title,
    content: html`<h1>${title}</h1>
${paragraphs(description)}
<p>Base address: <code>${base}</code>. For tools:
<a href="${DOCS_PATH}/${surface}/openapi.json">OpenAPI 3.1 document</a>.</p>
${overview(places)}
${groups}`,
    entries: places.map((place) => entryOf(place)),
  };
}

function placesOf(surface: Surface, document: OpenAPIObject): Place[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [{ surface, method: method.toUpperCase(), path, operation }] : [];
    }),
  );
}

const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const placeAnchor = ({ method, path }: Place): string => anchorOf(`${method} ${path}`);

/** The anchor of an endpoint on its reference page. */
export const operationAnchor = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string =>
  anchorOf(`${method} ${path}`);

const overview = (places: readonly Place[]): Html => html`<div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">Endpoint</th><th scope="col">Purpose</th></tr></thead>
<tbody>${places.map(
  (
    place,
  ) => html`<tr><td><a href="#${placeAnchor(place)}"><code>${place.method} ${place.path}</code></a></td>
<td>${place.operation.summary}</td></tr>`,
)}</tbody></table></div>`;

function operationCard(place: Place, base: string, canTry: boolean): Html {
  const { method, path, operation } = place;
  const body = jsonSchema(operation.requestBody);
  const answer = jsonSchema(operation.responses?.['200']);
  return html`<section class="card operation" id="${placeAnchor(place)}">
<h3>${operation.summary}</h3>
<p><span class="badge">${method}</span> <code>${path}</code></p>
${paragraphs(operation.description ?? '')}
<p class="quiet">${accessText(operation)}</p>
${parameterTable(operation)}
${body && html`<h4>Body</h4>${schemaTable(body, 'Field')}${json(exampleOf(body))}`}
${answer && html`<h4>Answer</h4>${schemaTable(answer, 'Field')}${json(exampleOf(answer))}`}
${refusalTable(place)}
${canTry && tryIt({ method, url: base + path, operation, body })}
</section>`;
}

const accessText = ({ security = [], parameters = [] }: OperationObject): string => {
  if (security.length === 0) return 'Access: anyone, from a registered address.';
  const isSigned = parameters.some((one) => 'name' in one && one.name === 'x-signature');
  return isSigned
    ? 'Access: the access token in x-api-token, and x-signature over the body.'
    : 'Access: the access token in x-api-token.';
};

const json = (value: unknown): Html | undefined =>
  value === undefined
    ? undefined
    : html`<pre class="code" tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`;

const jsonSchema = (part: object | undefined): SchemaObject | undefined => {
  const { content } = (part ?? {}) as { content?: Record<string, { schema?: SchemaObject }> };
  return content?.['application/json']?.schema;
};

function parameterTable({ parameters = [] }: OperationObject): Html | undefined {
  const named = parameters.filter((one) => 'name' in one);
  if (named.length === 0) return undefined;
  const [filters, others] = [
    named.filter(({ name }) => name.startsWith('filter.')),
    named.filter(({ name }) => !name.startsWith('filter.')),
  ];
  const properties = Object.fromEntries(
    others.map(({ name, description, schema }) => [name, { ...schema, description }]),
  ) as Record<string, SchemaObject>;
  const required = others.filter((one) => one.required).map(({ name }) => name);
  return html`<h4>Parameters</h4>${schemaTable({ type: 'object', properties, required }, 'Parameter')}
${
  filters.length > 0 &&
  html`<p>Conditions, as in <code>filter.id=$gt:100</code>: ${filters.map(
    ({ name }) => html`<code>${name}</code> `,
  )}</p>`
}`;
}

/** Each refusal by its HTTP status: the code leads to what it means. */
function refusalTable({ surface, operation }: Place): Html {
  const rows = Object.entries(operation.responses ?? {})
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) =>
      String(description)
        .split('\n')
        .map((line) => /^- (\d+) `([\w-]+)`: (.*)$/.exec(line))
        .filter((found) => found !== null)
        .map(([, code, reason, meaning]) => ({ status, code, reason, meaning })),
    );
  return html`<details><summary>${rows.length} refusals</summary><div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">HTTP</th><th scope="col">Code</th><th scope="col">Reason</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(
    ({ status, code, reason, meaning }) => html`<tr><td>${status}</td>
<td><a href="${DOCS_PATH}/errors#${surface}-${code}">${code}</a></td><td><code>${reason}</code></td>
<td>${richText(meaning ?? '')}</td></tr>`,
  )}</tbody></table></div></details>`;
}

function entryOf(place: Place): SearchEntry {
  const { surface, method, path, operation } = place;
  const body = jsonSchema(operation.requestBody)?.properties ?? {};
  const parameters = (operation.parameters ?? []).map((one) => ('name' in one ? one.name : ''));
  return {
    title: `${operation.summary} (${method} ${path})`,
    url: `${DOCS_PATH}/${surface}#${placeAnchor(place)}`,
    text: operation.description ?? '',
    keywords: [operation.operationId, ...parameters, ...Object.keys(body)].join(' '),
  };
}
