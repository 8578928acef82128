import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { SurfaceRoutes } from '../../src/http/app.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { openApiDocuments } from '../../src/openapi/both-documents.ts';
import { operationAt } from '../../src/openapi/document.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';

interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined where the answer has no body. */
  readonly body: unknown;
}

/** What one request got, and where it was sent. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly answer: Received;
}

type Node = Record<string, unknown>;

const documents = openApiDocuments('http://localhost');
const surfaces = [
  { routes: partnerRoutes, document: documents.partner },
  { routes: merchantRoutes, document: documents.merchant },
];

/**
 * Throws where an answer of either API is not as its OpenAPI document says: another status, a field
 * that is not described, a missing one, another type, or a header that is not there.
 */
export function checkConformance({ method, url, answer }: Exchange): void {
  const { pathname } = new URL(url);
  for (const { routes, document } of surfaces) {
    const endpoint = endpointAt(routes, method, pathname);
    if (!endpoint) continue;
    const where = `${method} ${endpoint.path} ${answer.status}`;
    const response = at(operationAt(document, endpoint), 'responses', answer.status);
    if (!response) throw new Error(`${where} is not documented: ${JSON.stringify(answer.body)}`);
    const wrong = [
      ...wrongHeaders(response, answer),
      ...wrongReason(response, answer),
      ...wrongBody(document, response, answer),
      ...wrongCode(document, response, answer),
    ];
    if (wrong.length > 0) throw new Error(`${where} is not as documented: ${wrong.join('; ')}`);
  }
}

/** The endpoint of a surface that answers a request; a path of its own is no parameter of another. */
function endpointAt(routes: SurfaceRoutes, method: string, pathname: string): Endpoint | undefined {
  const fits = (path: string) =>
    new RegExp(
      `^${routes.basePath}${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`,
    ).test(pathname);
  const found = routes.endpoints.filter((one) => [one.path, ...(one.aliases ?? [])].some(fits));
  const exact = found.filter(({ path }) => !path.includes(':'));
  return (exact.length > 0 ? exact : found).find((one) => one.method === method);
}

const at = (node: unknown, ...path: (string | number)[]): Node | undefined =>
  path.reduce<unknown>((inner, name) => (inner as Node | undefined)?.[name], node) as
    | Node
    | undefined;

const REQUIRED = ['x-request-id'];

function wrongHeaders(response: Node, { headers }: Received): string[] {
  const described = Object.keys((response.headers as Node | undefined) ?? {}).map((name) =>
    name.toLowerCase(),
  );
  const lacking = REQUIRED.filter((name) => !headers.has(name)).map((name) => `no header ${name}`);
  const told = [
    ...['retry-after', 'idempotent-replayed', 'etag', 'allow', 'link', 'ratelimit'],
    'x-error-reason',
  ];
  const surplus = told.filter((name) => headers.has(name) && !described.includes(name));
  return [...lacking, ...surplus.map((name) => `the header ${name} is not described`)];
}

/** A refusal has one of the reasons that its status is documented with, in header and data alike. */
function wrongReason(response: Node, { status, headers, body }: Received): string[] {
  if (status < 400) return [];
  const reason = headers.get('x-error-reason') ?? '';
  const described = Object.keys(at(response, 'content', 'application/json', 'examples') ?? {});
  const data = at(body, 'data');
  return [
    ...(described.includes(reason) ? [] : [`the reason "${reason}" is not described`]),
    ...(data && data.reason !== reason ? [`data has the reason "${data.reason}"`] : []),
  ];
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
// @ts-expect-error: the package's types do not know how it is imported as a module.
addFormats(ajv);
const validators = new Map<object, ValidateFunction>();

function wrongBody(document: OpenAPIObject, response: Node, { body }: Received): string[] {
  const schema = at(response, 'content', 'application/json', 'schema');
  if (!schema) return body === undefined ? [] : ['a body where none is described'];
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile({ ...(closed(schema, document) as Node) });
    validators.set(schema, validate);
  }
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** The code of a refusal is that of one of the examples that its answer has. */
function wrongCode(document: OpenAPIObject, response: Node, { body }: Received): string[] {
  const examples = at(response, 'content', 'application/json', 'examples');
  if (!examples) return [];
  const { statusCode } = (body ?? {}) as Node;
  const isExample = Object.values(examples as Record<string, { $ref: string }>).some(
    ({ $ref }) => at(resolved($ref, document), 'value')?.statusCode === statusCode,
  );
  return isExample ? [] : [`the statusCode ${statusCode} is not described`];
}

const resolved = (reference: string, document: OpenAPIObject): Node | undefined =>
  at(document, ...reference.slice(2).split('/'));

/** A schema without references that allows no field but its own: what is not described is found. */
function closed(node: unknown, document: OpenAPIObject): unknown {
  if (Array.isArray(node)) return node.map((one) => closed(one, document));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as Node;
  if (typeof $ref === 'string') return closed(resolved($ref, document), document);
  const entries = Object.entries(node).filter(([name]) => name !== 'examples');
  const inner = Object.fromEntries(entries.map(([name, value]) => [name, closed(value, document)]));
  const isObject = inner.type === 'object' && inner.properties !== undefined;
  return isObject ? { additionalProperties: false, ...inner } : inner;
}
