import type { OpenAPIObject, OperationObject, SchemaObject } from 'openapi3-ts/oas31';
import type { SurfaceRoutes } from '../../http/app.ts';
import { type Endpoint, scopeOf } from '../../http/endpoint.ts';
import { codeAnchor } from '../../http/envelope.ts';
import { jsonExample, jsonSchema, operationAt, templateOf } from '../../openapi/document.ts';
import { refusalsOf } from '../../openapi/endpoint-refusals.ts';
import { type Html, html } from '../../rendering/html.ts';
import { DOCS_PATH, type DocsPage, type SearchEntry } from '../page.ts';
import { paragraphs, richText } from './rich-text.ts';
import { schemaTable } from './schema-table.ts';
import { tryIt } from './try-it.ts';

/** An endpoint with its description in the document of its surface. */
interface Place {
  readonly surface: SurfaceRoutes['surface'];
  readonly endpoint: Endpoint;
  /** As the document writes it. */
  readonly path: string;
  readonly operation: OperationObject;
}

/** The reference of an API, made of its OpenAPI document; `canTry` where calls move no real money. */
export function referencePage(
  { surface, endpoints }: SurfaceRoutes,
  document: OpenAPIObject,
  { canTry }: { readonly canTry: boolean },
): DocsPage {
  const { title, description = '' } = document.info;
  const base = document.servers?.[0]?.url ?? '';
  const places = endpoints.flatMap((endpoint): Place[] => {
    const operation = operationAt(document, endpoint);
    return operation ? [{ surface, endpoint, path: templateOf(endpoint.path), operation }] : [];
  });
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

const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The anchor of an endpoint on its reference page. */
export const operationAnchor = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string =>
  anchorOf(`${method} ${path}`);

const overview = (places: readonly Place[]): Html => html`<div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">Endpoint</th><th scope="col">Purpose</th></tr></thead>
<tbody>${places.map(
  ({ endpoint, path }) =>
    html`<tr><td><a href="#${operationAnchor(endpoint)}"><code>${endpoint.method} ${path}</code></a></td>
<td>${endpoint.summary}</td></tr>`,
)}</tbody></table></div>`;

function operationCard(place: Place, base: string, canTry: boolean): Html {
  const { endpoint, path, operation } = place;
  const body = jsonSchema(operation.requestBody);
  const answer = jsonSchema(operation.responses?.['200']);
  return html`<section class="card operation" id="${operationAnchor(endpoint)}">
<h3>${endpoint.summary}</h3>
<p><span class="badge">${endpoint.method}</span> <code>${path}</code></p>
${paragraphs(endpoint.description)}
<p class="quiet">${ACCESS[endpoint.access]}${scopeNote(scopeOf(endpoint))}</p>
${parameterTable(operation)}
${body && html`<h4>Body</h4>${schemaTable(body, 'Field')}${json(jsonExample(operation.requestBody))}`}
${answer && html`<h4>Answer</h4>${schemaTable(answer, 'Field')}${json(jsonExample(operation.responses?.['200']))}`}
${refusalTable(place)}
${canTry && tryIt({ endpoint, url: base + path, operation })}
</section>`;
}

const ACCESS: Readonly<Record<Endpoint['access'], string>> = {
  public: 'Access: anyone, from a registered address.',
  token: 'Access: the access token in x-api-token.',
  signed: 'Access: the access token in x-api-token, and x-signature over the body.',
};

const scopeNote = (scope: string | undefined): Html | undefined =>
  scope === undefined ? undefined : html` The API key needs the scope <code>${scope}</code>.`;

const json = (value: unknown): Html | undefined =>
  value === undefined
    ? undefined
    : html`<pre class="code" tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`;

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
function refusalTable({ surface, endpoint }: Place): Html {
  const refusals = refusalsOf(surface, endpoint).sort(
    (one, other) => one.httpStatus - other.httpStatus,
  );
  return html`<details><summary>${refusals.length} refusals</summary><div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">HTTP</th><th scope="col">Code</th><th scope="col">Reason</th><th scope="col">Meaning</th></tr></thead>
<tbody>${refusals.map(
    ({ httpStatus, statusCode, reason, message, remedy }) => html`<tr><td>${httpStatus}</td>
<td><a href="${DOCS_PATH}/errors#${codeAnchor(surface, statusCode)}">${statusCode}</a></td><td><code>${reason}</code></td>
<td>${richText(`${message} (${remedy})`)}</td></tr>`,
  )}</tbody></table></div></details>`;
}

function entryOf(place: Place): SearchEntry {
  const { surface, endpoint, path, operation } = place;
  const body = jsonSchema(operation.requestBody)?.properties ?? {};
  const parameters = (operation.parameters ?? []).map((one) => ('name' in one ? one.name : ''));
  return {
    title: `${endpoint.summary} (${endpoint.method} ${path})`,
    url: `${DOCS_PATH}/${surface}#${operationAnchor(endpoint)}`,
    text: endpoint.description,
    keywords: [operation.operationId, ...parameters, ...Object.keys(body)].join(' '),
  };
}
