import type {
  LinkObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { describe, expect, it } from 'vitest';
import { randomWebhookSecret, webhookHeaders } from '../../src/crypto/webhook-secrets.ts';
import {
  type EventType,
  eventTypesOf,
  TEST_EVENT_TYPE,
  webhookBody,
} from '../../src/domain/events.ts';
import type { SurfaceRoutes } from '../../src/http/app.ts';
import { eventSchema } from '../../src/http/events.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { openApiDocuments } from '../../src/openapi/both-documents.ts';
import { jsonExample, jsonSchema, operationAt, templateOf } from '../../src/openapi/document.ts';
import { recordedExample } from '../../src/openapi/operation.ts';
import { reasonsOf } from '../../src/openapi/refusals.ts';
import { outputSchema, withoutReferences } from '../../src/openapi/schemas.ts';
import { exampleOf } from '../../src/openapi/webhooks.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';

const documents = openApiDocuments('https://api.example.com');

/** The most types that a generated client has of each API: one of each named schema. */
const MOST_SCHEMAS = { partner: 130, merchant: 45 };

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

/** Every schema in a part of a document; examples are no schemas. */
const schemasIn = (part: unknown): SchemaObject[] =>
  typeof part === 'object' && part !== null
    ? [
        part as SchemaObject,
        ...Object.entries(part)
          .filter(([key]) => !['example', 'examples'].includes(key))
          .flatMap(([, inner]) => schemasIn(inner)),
      ]
    : [];

const objectsIn = (part: unknown): string[] =>
  schemasIn(part)
    .filter(({ type, properties }) => type === 'object' && properties)
    .map(({ properties }) => Object.keys(properties ?? {}).join());

const valuesIn = (part: unknown): string[] =>
  schemasIn(part).flatMap(({ enum: values }) => (Array.isArray(values) ? [values.join()] : []));

const hasForm = (field: SchemaObject): boolean =>
  Boolean(field.type ?? field.$ref ?? field.const ?? field.enum ?? field.anyOf);

/** Fields whose form says all that an example would. */
const isPlain = (field: SchemaObject): boolean =>
  field.const !== undefined ||
  field.type === 'null' ||
  Boolean(field.enum ?? field.properties ?? field.items) ||
  ((field.anyOf as SchemaObject[] | undefined)?.every(isPlain) ?? false);

describe.each(surfaces)('the document of the %s API', (name, routes) => {
  const document = withoutReferences(documents[name]);
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

  it('names every object, and every list of values that it has twice', () => {
    const { schemas = {} } = documents[name].components ?? {};
    expect(Object.keys(schemas).length).toBeLessThan(MOST_SCHEMAS[name]);
    const { info: _info, components: _components, ...places } = documents[name];
    const unnamed = [places, ...Object.values(schemas).map((schema) => Object.values(schema))];
    expect(unnamed.flatMap(objectsIn)).toEqual([]);
    const values = unnamed.flatMap(valuesIn);
    expect(values.filter((one, index) => values.indexOf(one) < index)).toEqual([]);
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

  it('has the message of each event to a webhook, as it is sent', () => {
    const { webhooks = {} } = document;
    expect(Object.keys(webhooks)).toEqual([...eventTypesOf(name), TEST_EVENT_TYPE]);
    for (const [type, { post }] of Object.entries(webhooks)) {
      const body = post?.requestBody as RequestBodyObject;
      const { schema, example } = body.content['application/json'] ?? {};
      const { id, createdAt, subject, data } = example;
      const sent = webhookBody({
        id: 17,
        createdAt: new Date(createdAt),
        type,
        subject,
        data,
        eventNumber: type === TEST_EVENT_TYPE ? null : Number(id.replace('evt_', '')),
        eventCreatedAt: null,
      });
      expect(sent).toEqual(example);
      expect(Object.keys(sent)).toEqual(Object.keys((schema as SchemaObject).properties ?? {}));
      const headers = webhookHeaders({ id, timestampSeconds: 1, body: '{}' }, [
        randomWebhookSecret(),
      ]);
      const described = (post?.parameters ?? []) as ParameterObject[];
      expect(described.map((one) => one.name)).toEqual(Object.keys(headers));
      for (const { name: header, schema: form } of described)
        expect(headers[header]).toMatch(new RegExp((form as SchemaObject).pattern ?? ''));
    }
  });

  it('tells in its examples of events what a redemption does, with its fee', () => {
    const facts = (type: EventType) =>
      exampleOf(outputSchema(eventSchema(type).shape.data)) as Record<string, string>;
    const redeemed = facts('voucher.redeemed');
    const [whole, fee] = [facts('voucher.generated').amount, facts('payout.completed').serviceFee];
    expect(Number(redeemed.amount)).toBe(Number(facts('claim.started').amount) + Number(fee));
    expect(Number(redeemed.amount)).toBe(Number(facts('payout.completed').amount) + Number(fee));
    expect(Number(redeemed.remaining)).toBe(Number(whole) - Number(redeemed.amount));
    expect(facts('redemption.refused').remaining).toBe(whole);
    const events = { method: 'GET', path: '/events' } as const;
    const { answer } = recordedExample('partner', events) ?? {};
    const [{ data: real } = {}] = (answer as { data: { events: { data: object }[] } }).data.events;
    expect(real).toMatchObject({ amount: redeemed.amount, remaining: redeemed.remaining });
  });

  it('names each operation and message once', () => {
    const messages = Object.values(document.webhooks ?? {}).map(({ post }) => post?.operationId);
    const names = [...operations.map(([, { operationId }]) => operationId), ...messages];
    expect(new Set(names).size).toBe(names.length);
  });
});

it('says that promos and pricingType are information, and shows no promo that promises a price', () => {
  const partner = withoutReferences(documents.partner);
  const operationOf = (path: string) => operationAt(partner, { method: 'GET', path });
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
