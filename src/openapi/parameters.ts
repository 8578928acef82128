import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Endpoint } from '../http/endpoint.js';
import { idempotencyKeyField } from '../http/fields/request-fields.js';
import { inputSchema } from './json-schema.js';

/** The parameters of an endpoint besides its body: path, query and headers. */
export const parametersOf = (endpoint: Endpoint): ParameterObject[] => [
  ...pathParameters(endpoint),
  ...queryParameters(endpoint),
  ...headerParameters(endpoint),
];

const propertiesOf = (schema: Endpoint['query']): [string, SchemaObject][] =>
  schema ? (Object.entries(inputSchema(schema).properties ?? {}) as [string, SchemaObject][]) : [];

/** A parameter has its description itself, and its form in its schema. */
function parameter(
  where: ParameterObject['in'],
  name: string,
  { description, ...schema }: SchemaObject,
  rest: Partial<ParameterObject> = {},
): ParameterObject {
  return { name, in: where, ...(description ? { description } : {}), ...rest, schema };
}

const pathParameters = ({ params }: Endpoint): ParameterObject[] =>
  propertiesOf(params).map(([name, schema]) => parameter('path', name, schema, { required: true }));

const queryParameters = ({ query, list }: Endpoint): ParameterObject[] => [
  ...propertiesOf(query).map(([name, schema]) => parameter('query', name, schema)),
  ...(list?.columns ?? []).map(filterOf),
];

const filterOf = (column: string): ParameterObject =>
  parameter('query', `filter.${column}`, {
    type: 'array',
    items: { type: 'string' },
    description: `Condition on \`${column}\`: a value, or \`$operator:value\`; repeatable`,
  });

function headerParameters({ idempotency, access }: Endpoint): ParameterObject[] {
  const found: ParameterObject[] = [];
  if (idempotency === 'header')
    found.push(parameter('header', 'Idempotency-Key', inputSchema(idempotencyKeyField)));
  if (access === 'signed')
    found.push(
      parameter(
        'header',
        'x-signature',
        {
          type: 'string',
          description:
            'Signature over the bytes of the body, a line break and a message; then `\\n` and ' +
            'that message. ECDSA on secp256k1 with SHA-256, DER in base64.',
          examples: ['MEUCIQDk3Zc0…8Zg==\\n2026-11-21T20:55:04.459Z'],
        },
        { required: true },
      ),
    );
  return found;
}
