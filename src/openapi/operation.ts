import type { OperationObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Surface } from '../domain/errors.js';
import type { Endpoint } from '../http/endpoint.js';
import { COMMON_HEADERS, headersOf } from './headers.js';
import { inputSchema, outputSchema } from './json-schema.js';
import { parametersOf } from './parameters.js';
import { refusalResponses } from './refusals.js';

/** The OpenAPI operation of an endpoint; `name` is unique in its surface. */
export function operationOf(
  surface: Surface,
  endpoint: Endpoint,
  { name, tag }: { readonly name: string; readonly tag: string },
): OperationObject {
  const { summary, description, access, body } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description,
    security: access === 'public' ? [] : [{ token: [] }, { bearer: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: inputSchema(body) } },
          },
        }
      : {}),
    responses: {
      200: successResponse(endpoint),
      ...notModified(endpoint),
      ...refusalResponses(surface, endpoint),
    },
  };
}

function successResponse(endpoint: Endpoint): ResponseObject {
  const { bare, answer, list, isConditional, idempotency, summary, hasMeta } = endpoint;
  const data = outputSchema(answer);
  return {
    description: `${summary}: done`,
    headers: headersOf(
      ...COMMON_HEADERS,
      ...(isConditional ? ['ETag'] : []),
      ...(idempotency ? ['Idempotent-Replayed'] : []),
    ),
    content: {
      'application/json': {
        schema: bare ? data : envelopeOf(data, { hasMeta: Boolean(list ?? hasMeta) }),
      },
    },
  };
}

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
