import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { reasons } from '../../../src/domain/reasons.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { openApiDocuments } from '../../../src/openapi/both-documents.ts';
import { jsonExample, jsonSchema, templateOf } from '../../../src/openapi/document.ts';
import { refusalsOf } from '../../../src/openapi/refusals.ts';
import { nameOfOperation, withoutReferences } from '../../../src/openapi/schemas.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';

/** An operation as the generators of the clients need it. */
export interface ClientOperation {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** The name of its tag, which groups operations. */
  readonly tag: string;
  readonly method: 'GET' | 'POST';
  /** Below the base address, with `{name}` for its parameter. */
  readonly path: string;
  /** The place of the idempotency key. */
  readonly key: 'header' | 'body' | 'none';
  readonly isSigned: boolean;
  /** A 409 means that the result is not there yet: the same request gets it. */
  readonly repeatsConflict: boolean;
  /** The answer has no envelope. */
  readonly isBare: boolean;
  /** The body without its idempotency key. */
  readonly request?: SchemaObject;
  /** The recorded body, with its idempotency key. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** The `data` of the answer; of a list, one item. */
  readonly result: SchemaObject;
  /** What its address may ask for. */
  readonly query?: SchemaObject;
  /** Of a list: the name of its items. */
  readonly list?: string;
}

export type ClientSurface = 'partner' | 'merchant';

/** The routes of each surface. */
export const clientRoutes = { partner: partnerRoutes, merchant: merchantRoutes };

/** The OpenAPI document of a surface, of no deployment. */
export const clientDocument = (surface: ClientSurface): OpenAPIObject =>
  withoutReferences(openApiDocuments('https://voucher-service.invalid')[surface]);

/**
 * The operations of a surface, read from its OpenAPI document.
 *
 * @throws {Error} for an operation without a name in `src/openapi/schemas.ts`
 */
export function clientOperations(surface: ClientSurface): ClientOperation[] {
  return Object.entries(clientDocument(surface).paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [operationOf(surface, path, method, operation)] : [];
    }),
  );
}

function operationOf(
  surface: ClientSurface,
  path: string,
  method: 'get' | 'post',
  operation: OperationObject,
): ClientOperation {
  const id = operation.operationId ?? '';
  const named = nameOfOperation(surface, id);
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  const has = (header: string) => parameters.some(({ name }) => name === header);
  const body = jsonSchema(operation.requestBody);
  const answer = jsonSchema(operation.responses?.[200]);
  if (!answer) throw new Error(`${surface} ${id} has no answer`);
  const isInBody = propertyOf(body, 'idempotencyKey') !== undefined;
  const data = propertyOf(answer, 'data');
  const example = jsonExample(operation.requestBody) as ClientOperation['example'];
  return {
    name: named.name,
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    tag: operation.tags?.[0] ?? '',
    method: method === 'get' ? 'GET' : 'POST',
    path,
    key: has('Idempotency-Key') ? 'header' : isInBody ? 'body' : 'none',
    isSigned: has('x-signature'),
    repeatsConflict: repeatsConflict(surface, method.toUpperCase(), path),
    isBare: data === undefined,
    ...(body ? { request: without(body, 'idempotencyKey') } : {}),
    ...(example ? { example } : {}),
    result: named.item ? itemsOf(data) : (data ?? answer),
    ...(parameters.some(isOfQuery) ? { query: queryOf(parameters) } : {}),
    ...(named.item ? { list: named.item } : {}),
  };
}

/** Whether a 409 of the operation says that the result is not there yet. */
const repeatsConflict = (surface: ClientSurface, method: string, path: string): boolean =>
  clientRoutes[surface].endpoints
    .filter((one) => one.method === method && templateOf(one.path) === path)
    .flatMap((endpoint) => refusalsOf(surface, endpoint))
    .some(({ statusCode, reason }) => statusCode === 409 && reasons[reason].remedy === 'repeat');

const propertyOf = (schema: SchemaObject | undefined, name: string): SchemaObject | undefined =>
  schema?.properties?.[name] as SchemaObject | undefined;

const itemsOf = (schema: SchemaObject | undefined): SchemaObject => schema?.items as SchemaObject;

function without(schema: SchemaObject, name: string): SchemaObject {
  if (!schema.properties?.[name]) return schema;
  const { [name]: _left, ...properties } = schema.properties ?? {};
  return { ...schema, properties, required: schema.required?.filter((one) => one !== name) ?? [] };
}

const isOfQuery = (parameter: ParameterObject): boolean => parameter.in === 'query';

const queryOf = (parameters: readonly ParameterObject[]): SchemaObject => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters
      .filter(isOfQuery)
      .map(({ name, description, schema }) => [
        name,
        { ...oneOrMore(schema as SchemaObject), description },
      ]),
  ) as NonNullable<SchemaObject['properties']>,
});

/** A repeatable parameter with one value is written without a list. */
const oneOrMore = (schema: SchemaObject): SchemaObject =>
  schema.type === 'array' && schema.items
    ? { anyOf: [schema.items, { type: 'array', items: schema.items }] }
    : schema;
