import type {
  LinksObject,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { Surface } from '../domain/refusals.ts';
import { type Endpoint, scopeOf } from '../http/endpoint.ts';
import { idempotencyKeyField } from '../http/fields/request-fields.ts';
import {
  conditionForm,
  type FilteredColumn,
  MAXIMUM_CONDITIONS,
} from '../http/lists/list-filters.ts';
import merchant from './examples/merchant.json' with { type: 'json' };
import partner from './examples/partner.json' with { type: 'json' };
import { COMMON_HEADERS, headersOf } from './headers.ts';
import { refusalResponses, unreadResponses } from './refusals.ts';
import {
  answerSchema,
  inputSchema,
  type NamedOperation,
  nameOfOperation,
  pascal,
  titled,
} from './schemas.ts';

interface Follow {
  /** The name of the link. */
  readonly name: string;
  readonly from: readonly string[];
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

/** Which call can follow an answer, and which values it takes from the first one. */
const FOLLOWS: Readonly<Record<Surface, readonly Follow[]>> = {
  partner: [
    {
      name: 'showTopup',
      from: ['airtime-topup', 'airtime-package-topup', 'retry-topup'].map(
        (name) => `POST /topup-transactions/${name}`,
      ),
      operationId: 'getTopupTransactionsTransactionId',
      parameters: { transactionId: '$response.body#/data/transactionId' },
      description: 'Shows the top-up and its attempts.',
    },
  ],
  merchant: [
    {
      name: 'showVoucher',
      from: ['initiate-claim', 'redeem-gift'].map((name) => `POST /topup-transactions/${name}`),
      operationId: 'getTopupTransactionsVoucherCode',
      parameters: { voucherCode: '$request.body#/voucherCode' },
      description: 'Shows the voucher, its remaining balance and its status.',
    },
  ],
};

/** The links of an endpoint's answer; undefined where none is known. */
function linksOf(
  surface: Surface,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): LinksObject | undefined {
  const found = FOLLOWS[surface].filter(({ from }) => from.includes(`${method} ${path}`));
  if (found.length === 0) return undefined;
  return Object.fromEntries(found.map(({ name, from, ...link }) => [name, link]));
}

/** The parameters of an endpoint besides its body: path, query and headers. */
const parametersOf = (endpoint: Endpoint): ParameterObject[] => [
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
  return { name, in: where, ...(description && { description }), ...rest, schema };
}

const pathParameters = ({ params }: Endpoint): ParameterObject[] =>
  propertiesOf(params).map(([name, schema]) => parameter('path', name, schema, { required: true }));

const queryParameters = ({ query, list }: Endpoint): ParameterObject[] => [
  ...propertiesOf(query).map(([name, schema]) => parameter('query', name, schema)),
  ...Object.entries(list?.list.columns ?? {}).map(([name, column]) =>
    filterOf({ ...column, name }),
  ),
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
        maxLength: 200,
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

interface Recorded {
  /** The body of the request; absent where it has none. */
  readonly request?: unknown;
  readonly answer: unknown;
}

const recorded: Readonly<Record<Surface, Readonly<Record<string, Recorded>>>> = {
  partner,
  merchant,
};

/** The answer that a test got when it called this endpoint; undefined where none is recorded yet. */
export const recordedExample = (
  surface: Surface,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): Recorded | undefined => recorded[surface][`${method} ${path}`];

/**
 * The OpenAPI operation of an endpoint; `id` is unique in its surface.
 *
 * @throws {Error} for an operation without a name in `schemas.ts`
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
    ...(scope && { 'x-scope': scope }),
    security: access === 'public' ? [] : [{ token: [] }, { bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: titled(inputSchema(body), `${pascal(named.name)}Request`),
            ...exampleOf(recorded?.request),
          },
        },
      },
    }),
    responses: {
      200: { ...successResponse(endpoint, named, recorded?.answer), ...(links && { links }) },
      ...notModified(endpoint),
      ...refusalResponses(surface, endpoint),
      ...unreadResponses(surface),
    },
  };
}

const exampleOf = (value: unknown) => (value === undefined ? {} : { example: value });

function successResponse(
  endpoint: Endpoint,
  named: NamedOperation,
  example: unknown,
): ResponseObject {
  const { isConditional, idempotency, summary, csv } = endpoint;
  return {
    description: `${summary}: done`,
    headers: headersOf(
      ...COMMON_HEADERS,
      ...(isConditional ? ['ETag'] : []),
      ...(idempotency ? ['Idempotent-Replayed'] : []),
      'x-ignored-fields',
    ),
    content: {
      'application/json': {
        schema: answerSchema(endpoint, named),
        ...exampleOf(example),
      },
      ...(csv && { 'text/csv': { schema: { type: 'string', description: CSV } } }),
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
