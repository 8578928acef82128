import type { OpenAPIObject, OperationObject, ParameterObject } from 'openapi3-ts/oas31';
import type { Surface } from '../../domain/refusals.ts';
import { type Endpoint, scopeOf } from '../../http/endpoint.ts';
import { reasonAnchor } from '../../http/envelope.ts';
import { jsonExample, jsonSchema, operationAt, templateOf } from '../../openapi/document.ts';
import { refusalsOf } from '../../openapi/endpoint-refusals.ts';
import { html } from '../../rendering/html.ts';
import { asMarkdown, renderMarkdown } from '../markdown.ts';
import { DOCS_PATH, type DocsPage, type SearchEntry } from '../page.ts';
import { operationAddress, operationPath } from '../reference-paths.ts';
import { nodeSample } from '../samples/node.ts';
import { pythonSample } from '../samples/python.ts';
import type { SampleCall } from '../samples/sample-call.ts';
import { shellSample } from '../samples/shell.ts';
import { schemaFields } from './schema-fields.ts';
import { tryIt } from './try-it.ts';

/** An endpoint with its description in the document of its surface. */
interface Place {
  readonly surface: Surface;
  readonly endpoint: Endpoint;
  readonly document: OpenAPIObject;
  readonly operation: OperationObject;
  /** As the document writes it, with the base address. */
  readonly url: string;
}

/** The page of an endpoint: what it takes and answers, and beside it a call; `canTry` where it moves no real money. */
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
      const [text, examples] = [description(here), exampleOf(here)];
      return {
        markdown: `${text}\n\n${examples}\n`,
        content: html`<div class="operation"><div class="text">${renderMarkdown(text)}</div>
<div class="examples">${renderMarkdown(examples)}${canTry && tryIt(here)}</div></div>`,
      };
    },
    entries: () => [entryOf(place())],
  };
}

function placeOf(surface: Surface, endpoint: Endpoint, document: OpenAPIObject): Place {
  const operation = operationAt(document, endpoint);
  if (!operation) throw new Error(`The document has no ${endpoint.method} ${endpoint.path}`);
  const base = document.servers?.[0]?.url ?? '';
  return { surface, endpoint, document, operation, url: base + templateOf(endpoint.path) };
}

/** The parts that a page has, below its title. */
function description({ surface, endpoint, document, operation }: Place): string {
  const body = jsonSchema(operation.requestBody);
  const answer = jsonSchema(operation.responses?.['200']);
  return [
    `# ${endpoint.summary}`,
    `\`${endpoint.method} ${templateOf(endpoint.path)}\``,
    asMarkdown(endpoint.description),
    accessOf(endpoint),
    ...parameters(operation, document),
    ...(body ? ['## Body', schemaFields(body, { document, isSent: true })] : []),
    ...(answer ? ['## Answer', schemaFields(answer, { document, isSent: false })] : []),
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

function parameters(operation: OperationObject, document: OpenAPIObject): string[] {
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
    ...(others.length > 0 ? [schemaFields(fields, { document, isSent: true })] : []),
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
function exampleOf(place: Place): string {
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

function entryOf({ surface, endpoint, operation }: Place): SearchEntry {
  const body = jsonSchema(operation.requestBody)?.properties ?? {};
  const names = (operation.parameters ?? []).map((one) => ('name' in one ? one.name : ''));
  return {
    title: `${endpoint.summary} (${endpoint.method} ${templateOf(endpoint.path)})`,
    url: operationAddress(surface, endpoint),
    text: endpoint.description,
    keywords: [operation.operationId, ...names, ...Object.keys(body)].join(' '),
  };
}
