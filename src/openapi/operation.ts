import type { OperationObject, ResponseObject } from 'openapi3-ts/oas31';
import type { Surface } from '../domain/refusals.ts';
import { type Endpoint, scopeOf } from '../http/endpoint.ts';
import { answerSchema } from './answer-schema.ts';
import { titled } from './components.ts';
import { COMMON_HEADERS, headersOf } from './headers.ts';
import { inputSchema } from './json-schema.ts';
import { linksOf } from './links.ts';
import { type NamedOperation, nameOfOperation, pascal } from './operation-names.ts';
import { parametersOf } from './parameters.ts';
import { recordedExample } from './recorded-example.ts';
import { refusalResponses, refusalSchema } from './refusal-responses.ts';

/**
 * The OpenAPI operation of an endpoint; `id` is unique in its surface.
 *
 * @throws {Error} for an operation without a name in `operation-names.ts`
 */
export function operationOf(
  surface: Surface,
  endpoint: Endpoint,
  { id, tag }: { readonly id: string; readonly tag: string },
): OperationObject {
  const named = nameOfOperation(surface, id);
  const { summary, description, access, body } = endpoint;
  const scope = scopeOf(endpoint);
  const parameters = parametersOf(endpoint);
  const recorded = recordedExample(surface, endpoint);
  const links = linksOf(surface, endpoint);
  return {
    operationId: id,
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
              'application/json': {
                schema: titled(inputSchema(body), `${pascal(named.name)}Request`),
                ...exampleOf(recorded?.request),
              },
            },
          },
        }
      : {}),
    responses: {
      200: { ...successResponse(endpoint, named, recorded?.answer), ...(links ? { links } : {}) },
      ...notModified(endpoint),
      ...refusalResponses(surface, endpoint),
      431: headersTooLarge(surface),
    },
  };
}

/** Answered before the request is read: it has none of the usual headers (src/http/http-server.ts). */
const headersTooLarge = (surface: Surface): ResponseObject => ({
  description:
    'The address with its query and the headers are larger than 16 KB or too many (send less)',
  content: { 'application/json': { schema: refusalSchema(surface) } },
});

const exampleOf = (value: unknown) => (value === undefined ? {} : { example: value });

function successResponse(
  endpoint: Endpoint,
  named: NamedOperation,
  example: unknown,
): ResponseObject {
  const { isConditional, idempotency, body, summary, csv } = endpoint;
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
        schema: answerSchema(endpoint, named),
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
