import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { Surface } from '../../domain/refusals.ts';
import type { SurfaceRoutes } from '../../http/app.ts';
import { type Endpoint, scopeOf } from '../../http/endpoint.ts';
import { codeAnchor, REASON_HEADER, reasonAnchor } from '../../http/envelope.ts';
import { once } from '../../http/once.ts';
import { endpointGroups } from '../../openapi/both-documents.ts';
import {
  jsonExample,
  jsonSchema,
  operationAt,
  operationIdOf,
  templateOf,
} from '../../openapi/document.ts';
import { type ErrorCode, errorCodesOf, refusalsOf } from '../../openapi/refusals.ts';
import { nameOfOperation } from '../../openapi/schemas.ts';
import { html } from '../../rendering/html.ts';
import { asMarkdown, markdownTable, renderMarkdown } from '../markdown.ts';
import { DOCS_PATH, type DocsPage, type SearchEntry } from '../page.ts';
import { nodeSample, pythonSample, type SampleCall, shellSample } from '../samples.ts';
import { markdownPage } from './guides.ts';
import { type TriedCall, tryIt } from './try-it.ts';

/** Of the list of an API's endpoints, below `DOCS_PATH`. */
export const indexPath = (surface: Surface): string => `/reference/${surface}`;

/** Of an endpoint's page, below `DOCS_PATH`: `/reference/partner/generate-voucher`. */
export const operationPath = (
  surface: Surface,
  endpoint: Pick<Endpoint, 'method' | 'path'>,
): string => {
  const { name } = nameOfOperation(surface, operationIdOf(endpoint));
  return `${indexPath(surface)}/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
};

/** The whole address of an endpoint's page. */
export const operationAddress = (
  surface: Surface,
  endpoint: Pick<Endpoint, 'method' | 'path'>,
): string => DOCS_PATH + operationPath(surface, endpoint);

const TITLES = { partner: 'Partner API', merchant: 'Merchant API' };

/** The endpoints of an API by subject, each with a link to its page. */
export const referenceIndex = (surface: Surface, document: () => OpenAPIObject): DocsPage =>
  markdownPage({
    path: indexPath(surface),
    title: TITLES[surface],
    summary: 'Access, envelope, and every endpoint',
    markdown: () => textOf(surface, document()),
  });

function textOf(surface: Surface, { info, servers }: OpenAPIObject): string {
  const groups = endpointGroups(surface).map(({ name, description, endpoints }) => {
    const rows = endpoints.map((endpoint) => [
      `[${endpoint.summary}](${operationAddress(surface, endpoint)})`,
      `\`${endpoint.method} ${templateOf(endpoint.path)}\``,
    ]);
    return `## ${name}\n\n${description}\n\n${markdownTable(['Purpose', 'Endpoint'], rows)}`;
  });
  return [
    `# ${TITLES[surface]}`,
    info.description ?? '',
    `Base address: \`${servers?.[0]?.url}\`. For tools: [OpenAPI 3.1 document](${DOCS_PATH}/${surface}/openapi.json).`,
    ...groups,
    '',
  ].join('\n\n');
}

interface Field {
  readonly name: string;
  readonly schema: SchemaObject;
  readonly isRequired: boolean;
}

/**
 * The fields of a schema as a list in Markdown, those of objects in it after them: type and meaning. Of what is
 * sent the needed ones are marked, of an answer those that it may lack.
 */
function schemaFields(schema: SchemaObject, { isSent }: { readonly isSent: boolean }): string {
  const fields = fieldsOf(schema, '');
  if (fields.length === 0)
    return `${asMarkdown(typeOf(schema))}: ${asMarkdown(schema.description ?? '')}`;
  return fields.map((field) => fieldItem(field, isSent)).join('\n');
}

function fieldItem({ name, schema, isRequired }: Field, isSent: boolean): string {
  const type = asMarkdown(typeOf(schema));
  const need = isRequired === isSent ? (isSent ? ' **needed**' : ' **may be absent**') : '';
  const about = asMarkdown(schema.description ?? '').replace(/\.$/, '');
  const meaning = [about, fieldExample(schema)].filter(Boolean).join('. ');
  // Two spaces at its end part the line from the next one.
  return `- \`${name}\` *${type}*${need}${meaning && `  \n  ${meaning}`}`;
}

function fieldExample({ examples: [example] = [] }: SchemaObject): string | undefined {
  if (example === undefined || example === null) return undefined;
  return `Example: \`${typeof example === 'string' ? example : JSON.stringify(example)}\``;
}

/** Its alternatives or its parts, where it has some. */
const formsOf = ({ anyOf, oneOf, allOf, ...own }: SchemaObject): SchemaObject[] => [
  ...(own.properties || own.items ? [own] : []),
  ...([anyOf, oneOf, allOf].flatMap((forms) => forms ?? []) as SchemaObject[]).flatMap(formsOf),
];

function fieldsOf(schema: SchemaObject, prefix: string): Field[] {
  return formsOf(schema).flatMap((form) => {
    if (form.items)
      return fieldsOf(form.items as SchemaObject, `${prefix}[].`.replace(/^\[\]\./, ''));
    const required = form.required ?? [];
    return Object.entries((form.properties ?? {}) as Record<string, SchemaObject>).flatMap(
      ([name, field]) => [
        { name: prefix + name, schema: field, isRequired: required.includes(name) },
        ...fieldsOf(field, `${prefix}${name}${field.items ? '' : '.'}`),
      ],
    );
  });
}

/** The type of a field in words: `integer or text`, `list of objects`. */
function typeOf(field: SchemaObject): string {
  if (field.anyOf) return [...new Set((field.anyOf as SchemaObject[]).map(typeOf))].join(' or ');
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum) return field.enum.map((value) => String(value)).join(' · ');
  if (field.items) return `list of ${typeOf(field.items as SchemaObject)}`;
  const types = [field.type ?? 'anything'].flat().map((type) => WORDS[type] ?? type);
  const limits = [
    field.format === 'date-time' && 'ISO 8601',
    field.minimum !== undefined && `from ${field.minimum}`,
    field.maxLength !== undefined && `at most ${field.maxLength} characters`,
  ].filter(Boolean);
  return [types.join(' or '), ...limits].join(', ');
}

const WORDS: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false' };

/** An endpoint with its description in the document of its surface. */
interface Place extends TriedCall {
  readonly surface: Surface;
}

/**
 * The page of an endpoint, by a document without references: its fields and its answer, and a call at their side;
 * `canTry` where it moves no real money.
 */
export function operationPage(
  surface: Surface,
  endpoint: Endpoint,
  { document, canTry }: { readonly document: () => OpenAPIObject; readonly canTry: boolean },
): DocsPage {
  const place = () => placeOf(surface, endpoint, document());
  return {
    path: operationPath(surface, endpoint),
    title: endpoint.summary,
    summary: `\`${endpoint.method} ${templateOf(endpoint.path)}\``,
    write() {
      const here = place();
      const [text, examples] = [description(here), callExample(here)];
      return {
        markdown: `${text}\n\n${examples}\n`,
        content: html`<div class="operation"><div class="text">${renderMarkdown(text)}</div>
<div class="examples">${renderMarkdown(examples)}${canTry && tryIt(here)}</div></div>`,
      };
    },
    entries: () => [operationEntry(place())],
  };
}

function placeOf(surface: Surface, endpoint: Endpoint, document: OpenAPIObject): Place {
  const operation = operationAt(document, endpoint);
  if (!operation) throw new Error(`The document has no ${endpoint.method} ${endpoint.path}`);
  const base = document.servers?.[0]?.url ?? '';
  return { surface, endpoint, operation, url: base + templateOf(endpoint.path) };
}

/** The parts that a page has, below its title. */
function description({ surface, endpoint, operation }: Place): string {
  const body = jsonSchema(operation.requestBody);
  const answer = jsonSchema(operation.responses?.['200']);
  return [
    `# ${endpoint.summary}`,
    `\`${endpoint.method} ${templateOf(endpoint.path)}\``,
    asMarkdown(endpoint.description),
    accessOf(endpoint),
    ...parameters(operation),
    ...(body ? ['## Body', schemaFields(body, { isSent: true })] : []),
    ...(answer ? ['## Answer', schemaFields(answer, { isSent: false })] : []),
    '## Refusals',
    refusals(surface, endpoint),
  ].join('\n\n');
}

const ACCESS: Readonly<Record<Endpoint['access'], string>> = {
  public: 'Access: anyone, from a registered address.',
  token: 'Access: the access token in `x-api-token`.',
  signed: `Access: the access token in \`x-api-token\`, and [\`x-signature\`](${DOCS_PATH}/guides/sign-requests) over the body.`,
};

function accessOf(endpoint: Endpoint): string {
  const scope = scopeOf(endpoint);
  return ACCESS[endpoint.access] + (scope ? ` The API key needs the scope \`${scope}\`.` : '');
}

const isFilter = ({ name }: ParameterObject): boolean => name.startsWith('filter.');

function parameters(operation: OperationObject): string[] {
  const all = (operation.parameters ?? []) as ParameterObject[];
  const [filters, others] = [all.filter(isFilter), all.filter((one) => !isFilter(one))];
  if (all.length === 0) return [];
  const fields = {
    type: 'object' as const,
    properties: Object.fromEntries(
      others.map(({ name, description: about = '', schema }) => [
        name,
        { ...schema, description: about },
      ]),
    ),
    required: others.filter(({ required }) => required).map(({ name }) => name),
  };
  return [
    '## Parameters',
    ...(others.length > 0 ? [schemaFields(fields, { isSent: true })] : []),
    ...(filters.length > 0
      ? [
          `Conditions, as in \`filter.id=$gt:100\`: ${filters.map(({ name }) => `\`${name}\``).join(', ')}.`,
        ]
      : []),
  ];
}

/** Each refusal by its HTTP status: the code leads to what it means. */
const refusals = (surface: Surface, endpoint: Endpoint): string =>
  refusalsOf(surface, endpoint)
    .sort((one, other) => one.httpStatus - other.httpStatus)
    .map(({ httpStatus, statusCode, reason, message, remedy }) => {
      const code = `[${statusCode}](${DOCS_PATH}/errors#${reasonAnchor(surface, statusCode, reason)})`;
      const status = statusCode === httpStatus ? '' : ` *HTTP ${httpStatus}*`;
      return `- ${code}${status} \`${reason}\`  \n  ${asMarkdown(`${message}. ${remedy}.`)}`;
    })
    .join('\n');

/** A call and its answer, in the languages that need no other program. */
function callExample(place: Place): string {
  const { surface, endpoint, operation } = place;
  const call = sampleOf(place);
  const answer = jsonExample(operation.responses?.['200']);
  const logIn = operationAddress(surface, { method: 'POST', path: '/auth/login' });
  return [
    '## Example',
    ...(endpoint.access === 'public' ? [] : [`\`token\` is [the access token](${logIn}).`]),
    fenced('sh', shellSample(call)),
    fenced('js', nodeSample(call)),
    fenced('python', pythonSample(call)),
    ...(answer === undefined
      ? []
      : ['The answer:', fenced('json', JSON.stringify(answer, null, 2))]),
  ].join('\n\n');
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** The example's call: the values of its parameters are examples, too. */
function sampleOf({ endpoint, operation, url }: Place): SampleCall {
  const all = (operation.parameters ?? []) as ParameterObject[];
  const exampleFor = (name: string): string | undefined => {
    const schema = all.find((one) => one.name === name)?.schema as
      | { readonly examples?: readonly unknown[] }
      | undefined;
    const [value] = schema?.examples ?? [];
    return value === undefined ? undefined : String(value);
  };
  return {
    method: endpoint.method,
    url: url.replaceAll(/\{(\w+)\}/g, (whole, name) => exampleFor(name) ?? whole),
    needsToken: endpoint.access !== 'public',
    isSigned: endpoint.access === 'signed',
    idempotencyKey: exampleFor('Idempotency-Key'),
    body: jsonExample(operation.requestBody),
  };
}

function operationEntry({ surface, endpoint, operation }: Place): SearchEntry {
  const body = jsonSchema(operation.requestBody)?.properties ?? {};
  const names = (operation.parameters ?? []).map((one) => ('name' in one ? one.name : ''));
  return {
    title: `${endpoint.summary} (${endpoint.method} ${templateOf(endpoint.path)})`,
    url: operationAddress(surface, endpoint),
    text: endpoint.description,
    keywords: [operation.operationId, ...names, ...Object.keys(body)].join(' '),
  };
}

/** Every statusCode of both APIs: what it means, and what to do. */
export const errorsPage = (surfaces: readonly SurfaceRoutes[]): DocsPage => ({
  ...markdownPage({
    path: '/errors',
    title: 'Errors',
    summary: 'Every code of both APIs: what it means, and what to do',
    markdown: once(() => [ABOUT_ERRORS, ...surfaces.flatMap(codesOf), ''].join('\n\n')),
  }),
  entries: () =>
    surfaces.flatMap((routes) => errorCodesOf(routes).map((one) => errorEntry(routes, one))),
});

const ABOUT_ERRORS = `# Errors

A refusal has the envelope \`{ success: false, message, statusCode, data }\`. The partner API answers
\`statusCode\` as the HTTP status, the merchant API its first three digits: 4032 comes with HTTP 403.
The header \`${REASON_HEADER}\` names the reason, which tells the meanings of one code apart; partners also
find it in \`data.reason\`. The header \`Link\` leads to the line of that reason.
[Handle errors](${DOCS_PATH}/guides/handle-errors) says how a program treats them. A request
is repeated under the same idempotency key.`;

/** The codes of an API. From their headings come the anchors of `codeAnchor` and `reasonAnchor`. */
function codesOf(routes: SurfaceRoutes): string[] {
  const { surface } = routes;
  const api = { partner: 'Partner', merchant: 'Merchant' }[surface];
  const link = (endpoint: Endpoint) =>
    `[${endpoint.summary}](${operationAddress(surface, endpoint)})`;
  const codes = errorCodesOf(routes).flatMap(({ statusCode, httpStatus, meanings }) => [
    `### ${api} ${statusCode}`,
    ...meanings.flatMap(({ reason, message, remedy, endpoints }) => {
      const isEverywhere = endpoints.length === routes.endpoints.length;
      return [
        `#### ${api} ${statusCode} \`${reason}\``,
        asMarkdown(`${message}. ${remedy}.`),
        `HTTP ${httpStatus} from ${isEverywhere ? 'every endpoint' : endpoints.map(link).join(', ')}.`,
      ];
    }),
  ]);
  return [`## ${TITLES[surface]}`, ...codes];
}

const errorEntry = ({ surface }: SurfaceRoutes, one: ErrorCode): SearchEntry => ({
  title: `${TITLES[surface]}: ${one.statusCode}`,
  url: `${DOCS_PATH}/errors#${codeAnchor(surface, one.statusCode)}`,
  text: one.meanings.map(({ reason, message }) => `${reason} ${message}`).join(' '),
});
