import type {
  LinkObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { describe, expect, it } from 'vitest';
import type { SurfaceRoutes } from '../../src/http/app.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { openApiDocuments } from '../../src/openapi/both-documents.ts';
import { jsonExample, jsonSchema, operationAt, templateOf } from '../../src/openapi/document.ts';
import { reasonsOf } from '../../src/openapi/endpoint-refusals.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';

const documents = openApiDocuments('https://api.example.com');

const surfaces: [name: 'partner' | 'merchant', routes: SurfaceRoutes][] = [
  ['partner', partnerRoutes],
  ['merchant', merchantRoutes],
];

const operationsOf = (document: OpenAPIObject): [name: string, operation: OperationObject][] =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method): [string, OperationObject][] => {
      const operation = item[method];
      return operation ? [[`${method} ${path}`, operation]] : [];
    }),
  );

/** Each field of a schema, with its path. */
function fieldsOf(schema: SchemaObject, path: string): [path: string, field: SchemaObject][] {
  const properties = Object.entries(schema.properties ?? {}) as [string, SchemaObject][];
  const parts = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [
    ...properties.flatMap(([name, field]): [string, SchemaObject][] => [
      [`${path}.${name}`, field],
      ...fieldsOf(field, `${path}.${name}`),
    ]),
    ...(parts as SchemaObject[]).flatMap((part) => fieldsOf(part, path)),
  ];
}

function schemasOf([name, operation]: [string, OperationObject]): [string, SchemaObject][] {
  const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})];
  return bodies.flatMap((body): [string, SchemaObject][] => {
    const schema = body?.content?.['application/json']?.schema;
    return schema ? [[name, schema]] : [];
  });
}

const hasForm = (field: SchemaObject): boolean =>
  Boolean(field.type ?? field.$ref ?? field.const ?? field.enum ?? field.anyOf);

/** Fields whose form says all that an example would. */
const isPlain = (field: SchemaObject): boolean =>
  field.const !== undefined ||
  field.type === 'null' ||
  Boolean(field.enum ?? field.properties ?? field.items) ||
  ((field.anyOf as SchemaObject[] | undefined)?.every(isPlain) ?? false);

describe.each(surfaces)('the document of the %s API', (name, routes) => {
  const document = documents[name];
  const operations = operationsOf(document);

  it('has every route, and no other', () => {
    const expected = routes.endpoints.map(
      ({ method, path }) => `${method.toLowerCase()} ${templateOf(path)}`,
    );
    expect(operations.map(([operation]) => operation).toSorted()).toEqual(expected.toSorted());
  });

  it('says what each field means', () => {
    const fields = operations
      .flatMap(schemasOf)
      .flatMap(([operation, schema]) => fieldsOf(schema, operation));
    expect(fields.length).toBeGreaterThan(50);
    const lacking = fields.filter(([, field]) => !field.$ref && !field.description);
    expect(lacking.map(([path]) => path)).toEqual([]);
  });

  it('has an example of each field of a request and of an answer', () => {
    const lacking = operations.flatMap(([operation, { requestBody, responses }]) =>
      [requestBody, responses?.['200']]
        .flatMap((part) => fieldsOf(part?.content?.['application/json']?.schema ?? {}, operation))
        .filter(([path]) => !/\.(message|success|statusCode|meta|links|data)$/.test(path))
        .filter(([, field]) => !field.examples && !isPlain(field))
        .map(([path]) => path),
    );
    expect(lacking).toEqual([]);
  });

  it('shows a recorded request and answer of each endpoint', () => {
    const lacking = operations.flatMap(([operation, { requestBody, responses }]) =>
      [requestBody, responses?.['200']]
        .filter((part) => part && part.content?.['application/json']?.example === undefined)
        .map(() => operation),
    );
    expect(lacking).toEqual([]);
  });

  it('says the form of each parameter, and what it means', () => {
    for (const [operation, { parameters = [] }] of operations)
      for (const parameter of parameters)
        expect(parameter, `${operation} ${JSON.stringify(parameter)}`).toSatisfy(
          ({ description, schema }) => Boolean(description) && hasForm(schema),
        );
  });

  it('has every reason for which an endpoint refuses', () => {
    for (const endpoint of routes.endpoints) {
      const operation = operationAt(document, endpoint);
      const described = Object.values(operation?.responses ?? {}).flatMap(({ content }) =>
        Object.keys(content?.['application/json']?.examples ?? {}),
      );
      expect(described.toSorted()).toEqual(reasonsOf(endpoint).toSorted());
    }
  });

  it('leads from an answer to calls that are there, with parameters that they take', () => {
    const targets = new Map(operations.map(([, operation]) => [operation.operationId, operation]));
    const links = operations.flatMap(
      ([, { responses }]) => Object.values(responses?.['200'].links ?? {}) as LinkObject[],
    );
    expect(links.length).toBeGreaterThan(0);
    for (const { operationId, parameters } of links) {
      const taken = (targets.get(operationId)?.parameters ?? []) as ParameterObject[];
      expect(taken.map(({ name }) => name)).toEqual(
        expect.arrayContaining(Object.keys(parameters ?? {})),
      );
    }
  });

  it('names each operation once', () => {
    const names = operations.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });
});

it('says that promos and pricingType are information, and shows no promo that promises a price', () => {
  const operationOf = (path: string) => operationAt(documents.partner, { method: 'GET', path });
  const [promos, products] = [operationOf('/promos'), operationOf('/product-list')];
  expect(promos?.description).toContain('applies no promo to a price');
  const shown = jsonExample(promos?.responses?.['200']) as { data: object[] };
  expect(shown.data.length).toBeGreaterThan(0);
  for (const promo of shown.data)
    expect(promo).toMatchObject({ discountPercentage: 0, bonusPercentage: 0 });
  const fields = fieldsOf(jsonSchema(products?.responses?.['200']) ?? {}, '');
  const [, pricingType] = fields.find(([path]) => path.endsWith('.pricingType')) ?? [];
  expect(pricingType?.description).toContain('no price depends on it');
});
