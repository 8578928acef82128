import type { OperationObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Surface } from '../domain/refusals.ts';
import { type Endpoint, scopeOf } from '../http/endpoint.ts';
import { COMMON_HEADERS, headersOf } from './headers.ts';
import { inputSchema, outputSchema } from './json-schema.ts';
import { linksOf } from './links.ts';
import { parametersOf } from './parameters.ts';
import { recordedExample } from './recorded-example.ts';
import { refusalResponses } from './refusal-responses.ts';

/** The OpenAPI operation of an endpoint; `name` is unique in its surface. */
export function operationOf(
  surface: Surface,
  endpoint: Endpoint,
  { name, tag }: { readonly name: string; readonly tag: string },
): OperationObject {
  const { summary, description, access, body } = endpoint;
  const scope = scopeOf(endpoint);
  const parameters = parametersOf(endpoint);
  const recorded = recordedExample(surface, endpoint);
  const links = linksOf(surface, endpoint);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: scope ? `${description} The API key needs the scope \`${scope}\`.` : description,
    // Roles in `security` would be a breaking change to tools that compare documents.
    ...(scope ? { 'x-scope': scope } : {}),
    security: access === 'public' ? [] : [{ token: [] }, { bearer: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: inputSchema(body), ...exampleOf(recorded?.request) },
            },
          },
        }
      : {}),
    responses: {
      200: { ...successResponse(endpoint, recorded?.answer), ...(links ? { links } : {}) },
      ...notModified(endpoint),
      ...refusalResponses(surface, endpoint),
      431: HEADERS_TOO_LARGE,
    },
  };
}

/** Answered before the request is read: it has none of the usual headers (src/http/http-server.ts). */
const HEADERS_TOO_LARGE: ResponseObject = {
  description:
    'The address with its query and the headers are larger than 16 KB or too many (send less)',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['success', 'message', 'statusCode', 'data'],
        properties: {
          success: { type: 'boolean', const: false, description: 'Always false here' },
          message: { type: 'string', description: 'For people' },
          statusCode: { type: 'integer', const: 431, description: 'Always 431 here' },
          data: { type: 'null', description: 'Always null here' },
        },
      },
    },
  },
};

const exampleOf = (value: unknown) => (value === undefined ? {} : { example: value });

function successResponse(endpoint: Endpoint, example: unknown): ResponseObject {
  const { bare, answer, list, isConditional, idempotency, body, summary, hasMeta, csv } = endpoint;
  const data = outputSchema(answer);
  return {
    description: `${summary}: done`,
    headers: headersOf(
      ...COMMON_HEADERS,
      ...(isConditional ? ['ETag'] : []),
      ...(idempotency ? ['Idempotent-Replayed'] : []),
      ...(body ? ['x-ignored-fields'] : []),
    ),
    content: {
      'application/json': {
        schema: bare ? data : envelopeOf(data, { hasMeta: Boolean(list ?? hasMeta) }),
        ...exampleOf(example),
      },
      ...(csv ? { 'text/csv': { schema: { type: 'string', description: CSV } } } : {}),
    },
  };
}

const CSV =
  'All rows, with a line of names before them: UTF-8 with a byte order mark, lines that end with CR and LF, ' +
  'each cell in quotes. A text that a spreadsheet could take for a formula begins with an apostrophe';

const notModified = ({ isConditional }: Endpoint) =>
  isConditional
    ? {
        304: {
          description: 'The caller has this answer already: its `If-None-Match` names its ETag',
          headers: headersOf(...COMMON_HEADERS, 'ETag'),
        },
      }
    : {};

/** The envelope of an answer (specification 2.1); lists and balances have more fields (2.2). */
function envelopeOf(data: SchemaObject, { hasMeta }: { readonly hasMeta: boolean }): SchemaObject {
  return {
    type: 'object',
    required: ['success', 'message', 'statusCode', 'data', ...(hasMeta ? ['meta', 'links'] : [])],
    properties: {
      success: { type: 'boolean', const: true, description: 'Always true here' },
      message: { type: 'string', description: 'For people' },
      statusCode: { type: 'integer', const: 200, description: 'Always 200 here' },
      data: { ...data, description: data.description ?? 'The result' },
      ...(hasMeta
        ? {
            meta: { $ref: '#/components/schemas/ListMeta' },
            links: { $ref: '#/components/schemas/ListLinks' },
          }
        : {}),
    },
  };
}
