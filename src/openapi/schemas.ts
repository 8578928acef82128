import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { type ZodType, z } from 'zod';
import type { Surface } from '../domain/refusals.ts';
import type { Endpoint } from '../http/endpoint.ts';

/** The output of zod before it is simplified. */
type Node = Record<string, unknown>;

type Direction = 'input' | 'output';

/**
 * The JSON Schema (draft 2020-12) of a request, without references. The service ignores unknown
 * fields.
 */
export const inputSchema = (schema: ZodType): SchemaObject => schemaOf(schema, 'input');

/** The JSON Schema of an answer. Clients ignore unknown fields. */
export const outputSchema = (schema: ZodType): SchemaObject => schemaOf(schema, 'output');

const schemaOf = (schema: ZodType, io: Direction): SchemaObject =>
  readable(
    z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      // zod omits these where a field is transformed, because it assigns them to the result.
      override({ zodSchema, jsonSchema }) {
        const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
        if (examples) Object.assign(jsonSchema, { examples });
        if (fallback !== undefined) Object.assign(jsonSchema, { default: fallback });
      },
    }) as Node,
    io,
  );

/** Removes redundant keywords, and puts the description of a field next to the field. */
function readable(schema: Node, io: Direction): SchemaObject {
  const { $schema, additionalProperties, oneOf, ...node } = schema;
  // Forms that a field tells apart exclude one another in any case.
  if (oneOf) node.anyOf = oneOf;
  // zod's pattern of a time also covers the days of February.
  if (node.format === 'date-time') delete node.pattern;
  if (io === 'output' && node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.items) node.items = readable(node.items as Node, io);
  if (node.properties) node.properties = mapValues(node.properties as Record<string, Node>, io);
  if (!Array.isArray(node.anyOf)) return node;
  const forms = node.anyOf.map((form) => readable(form, io));
  // zod repeats its own type next to a field's explicit forms.
  const { type, ...rest } = node;
  return { ...rest, anyOf: forms, ...meaningOf(rest, forms) };
}

const mapValues = (properties: Record<string, Node>, io: Direction): Record<string, SchemaObject> =>
  Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, readable(node, io)]));

/** A nullable field is wrapped: its description belongs to the wrapper. */
function meaningOf(
  { description, examples }: Node,
  forms: readonly SchemaObject[],
): Pick<SchemaObject, 'description' | 'examples'> {
  const meant = forms.find((form) => form.description !== undefined);
  const found = {
    description: description ?? meant?.description,
    examples: examples ?? meant?.examples,
  };
  if (meant) {
    delete meant.description;
    delete meant.examples;
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

type Schemas = Record<string, SchemaObject>;

const REFERENCE = '#/components/schemas/';

/** An object or several forms of one gets a title, unless it has one. */
export const titled = (schema: SchemaObject, title: string): SchemaObject =>
  schema.title !== undefined || !(schema.properties ?? schema.anyOf)
    ? schema
    : { title, ...schema };

/** Parts of a document that hold values, in which a title names nothing. */
const VALUES = ['example', 'examples', 'default', 'const', 'enum'];

/**
 * Moves each schema that has a title into `schemas`, under its title, and puts a reference in its
 * place. Generators of clients make one type of each.
 *
 * @throws {Error} for two different schemas of one title
 */
export function withNamedSchemas<Part>(part: Part, schemas: Schemas): Part {
  if (Array.isArray(part)) return part.map((one) => withNamedSchemas(one, schemas)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      VALUES.includes(key) ? value : withNamedSchemas(value, schemas),
    ]),
  );
  return (typeof inner.title === 'string' ? referenceTo(inner, schemas) : inner) as Part;
}

/** A meaning or an example that a place overrides stands next to the reference. */
function referenceTo({ title = '', ...schema }: SchemaObject, schemas: Schemas): SchemaObject {
  const named = schemas[title] ?? schema;
  schemas[title] = named;
  if (formOf(named) !== formOf(schema)) throw new Error(`Two schemas have the title ${title}`);
  const own = (['description', 'examples'] as const).filter(
    (key) => schema[key] !== undefined && !isDeepStrictEqual(schema[key], named[key]),
  );
  return {
    $ref: REFERENCE + title,
    ...Object.fromEntries(own.map((key) => [key, schema[key]])),
  };
}

const formOf = ({ description: _meaning, examples: _examples, ...form }: SchemaObject): string =>
  JSON.stringify(form);

/** The document with each schema in the place of its references, where its name is its title. */
export function withoutReferences(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const resolved = <Part>(part: Part): Part => {
    if (Array.isArray(part)) return part.map((one) => resolved(one)) as Part;
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, ...rest } = part as { readonly $ref?: string };
    if ($ref?.startsWith(REFERENCE)) {
      const title = $ref.slice(REFERENCE.length);
      return { title, ...resolved(schemas[title]), ...rest } as Part;
    }
    const entries = Object.entries(part).map(([key, value]) => [key, resolved(value)]);
    return Object.fromEntries(entries) as Part;
  };
  return resolved(document);
}

/** The plain name of an operation; of a list, the name of its items, too. */
export interface NamedOperation {
  readonly name: string;
  readonly item?: string;
}

/** The plain names of operations: those of clients, of schemas and of addresses of the reference. A list names its items. */
const namesOfOperations: Readonly<
  Record<Surface, Readonly<Record<string, string | readonly [name: string, item: string]>>>
> = {
  partner: {
    postAuthLogin: 'logIn',
    getTest: 'checkAccess',
    getKey: 'readKey',
    getMerchants: ['listMerchants', 'Merchant'],
    getMerchantCategories: ['listMerchantCategories', 'MerchantCategory'],
    getPromos: ['listPromos', 'Promo'],
    getProductList: ['listProducts', 'Product'],
    getProductCategoriesList: ['listProductCategories', 'ProductCategory'],
    getGiftDenominations: ['listDenominations', 'Denomination'],
    getPartnerGiftDenominationPrices: ['listPrices', 'SellingPrice'],
    postPartnerGiftDenominationPrices: 'setPrice',
    getInfoGetCurrentBalance: 'readBalances',
    getTransactions: 'readTransactions',
    postQuote: 'quote',
    postTopupTransactionsGenerateVoucher: 'generateVoucher',
    postVouchersBulk: 'orderVouchers',
    getBulkOrdersBulkOrderId: 'readBulkOrder',
    getBulkOrdersBulkOrderIdLines: 'readBulkLines',
    postBulkOrdersBulkOrderIdCancel: 'cancelBulkOrder',
    postTopupTransactionsInitiateClaim: 'initiateClaim',
    postTopupTransactionsRedeemGift: 'redeemVoucher',
    postTopupTransactionsAirtimeTopup: 'sendAirtime',
    postTopupTransactionsAirtimePackageTopup: 'sendPackage',
    postTopupTransactionsRetryTopup: 'retryTopUp',
    getTopupTransactions: ['listTopUps', 'TopUp'],
    getTopupTransactionsTransactionId: 'readTopUp',
    getVouchers: ['listVouchers', 'Voucher'],
    getVouchersVoucherId: 'readVoucher',
    postVouchersVoucherIdResend: 'resendMessage',
    postVouchersVoucherIdCancel: 'cancelVoucher',
    getEvents: 'readEvents',
  },
  merchant: {
    postAuthLogin: 'logIn',
    postTest: 'checkAccess',
    getKey: 'readKey',
    postTopupTransactionsInitiateClaim: 'initiateClaim',
    postTopupTransactionsRedeemGift: 'redeemVoucher',
    getTopupTransactionsVoucherCode: 'readVoucher',
    getRedemptions: ['listRedemptions', 'Redemption'],
    postRedemptionsRedemptionIdReverse: 'reverseRedemption',
    getPayouts: ['listPayouts', 'DayOfPayouts'],
    getEvents: 'readEvents',
  },
};

/** @throws {Error} for an operation without a name here */
export function nameOfOperation(surface: Surface, id: string): NamedOperation {
  const [name, item] = [namesOfOperations[surface][id]].flat();
  if (name === undefined) throw new Error(`schemas.ts has no name for ${surface} ${id}`);
  return { name, ...(item !== undefined && { item }) };
}

/** The name of a type: `generateVoucher` is `GenerateVoucher`. */
export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * The schema of a successful answer: its envelope (specification 2.1), and in it `data`. Answers
 * with the same data are the same schema.
 */
export function answerSchema(endpoint: Endpoint, { name, item }: NamedOperation): SchemaObject {
  const { answer, bare, hasMeta = false } = endpoint;
  const data = outputSchema(answer);
  if (item) {
    const items = titled(data.items as SchemaObject, item);
    return envelopeOf(`${item}List`, { ...data, items }, true);
  }
  const result = titled(data, `${pascal(name)}Result`);
  if (bare) return result;
  const title = `${(result.title ?? pascal(name)).replace(/Result$/, '')}Answer`;
  return envelopeOf(title, result, hasMeta);
}

function envelopeOf(title: string, data: SchemaObject, hasMeta: boolean): SchemaObject {
  return {
    title,
    type: 'object',
    required: ['success', 'message', 'statusCode', 'data', ...(hasMeta ? ['meta', 'links'] : [])],
    properties: {
      success: { type: 'boolean', const: true, description: 'Always true here' },
      message: { type: 'string', description: 'For people' },
      statusCode: { type: 'integer', const: 200, description: 'Always 200 here' },
      data: { ...data, description: data.description ?? 'The result' },
      ...(hasMeta && { meta: LIST_META, links: LIST_LINKS }),
    },
  };
}

const count = (description: string, example: number): SchemaObject => ({
  type: 'integer',
  minimum: 0,
  description,
  examples: [example],
});

/** Specification 2.2. */
const LIST_META: SchemaObject = {
  title: 'ListMeta',
  type: 'object',
  description: 'The page of a list',
  required: ['itemsPerPage', 'totalItems', 'currentPage', 'totalPages'],
  properties: {
    itemsPerPage: count('Items of a page', 20),
    totalItems: count('Items of the whole list', 41),
    currentPage: count('Number of this page, from 1', 2),
    totalPages: count('Number of pages', 3),
    sortBy: {
      type: 'array',
      description: 'The applied order',
      items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
      examples: [[['id', 'DESC']]],
    },
    search: { type: 'string', description: 'The searched text', examples: ['coffee'] },
    searchBy: {
      type: 'array',
      items: { type: 'string' },
      description: 'The searched columns',
    },
    filter: {
      type: 'object',
      description: 'The conditions of the list, by column',
      examples: [{ status: 'ACTIVE' }],
      additionalProperties: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
    },
  },
};

const link = (description: string, page: number): SchemaObject => ({
  type: 'string',
  format: 'uri',
  description,
  examples: [`https://api.example.com/api/v1/client/merchants?page=${page}&limit=20`],
});

const LIST_LINKS: SchemaObject = {
  title: 'ListLinks',
  type: 'object',
  description: 'Addresses of pages, with the query of this one',
  required: ['current'],
  properties: {
    current: link('This page', 2),
    first: link('The first page; absent on it', 1),
    previous: link('The page before; absent on the first', 1),
    next: link('The page after; absent on the last', 3),
    last: link('The last page; absent on it', 3),
  },
};
