import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Endpoint } from '../http/endpoint.ts';
import { idempotencyKeyField } from '../http/fields/request-fields.ts';
import { conditionForm } from '../http/lists/condition-form.ts';
import type { FilteredColumn } from '../http/lists/list-condition.ts';
import { MAXIMUM_CONDITIONS } from '../http/lists/list-filters.ts';
import { inputSchema } from './json-schema.ts';

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

const filterOf = (column: FilteredColumn): ParameterObject => {
  const { name, kind } = column;
  const taken = kind === 'look-up' ? 'a text' : `a value (${kind}), or \`$operator:value\``;
  return parameter('query', `filter.${name}`, {
    type: 'array',
    items: { type: 'string', ...conditionForm(column) },
    description: `Condition on \`${name}\`: ${taken}; repeatable, at most ${MAXIMUM_CONDITIONS} in all`,
  });
};

function headerParameters({ idempotency, access }: Endpoint): ParameterObject[] {
  const found: ParameterObject[] = [];
  if (idempotency === 'header')
    found.push(
      parameter('header', 'Idempotency-Key', {
        ...inputSchema(idempotencyKeyField),
        // HTTP removes spaces around the value of a header.
        pattern: '^[!-~]([ -~]*[!-~])?$',
      }),
    );
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
          examples: [
            'MEUCIQDOB3B0Pq1dbIsYRjgmZOEuQRs6cWTNuk6BBp65ZQ5mKQIgLqvYyyBjx3YMkmyyGJcPVGh0jdyI3sC6Y2bcd4bEZHY=' +
              '\\n2026-11-21T20:55:04.459Z',
          ],
        },
        { required: true },
      ),
    );
  return found;
}
