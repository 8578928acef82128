import type { SchemaObject } from 'openapi3-ts/oas31';
import type { Endpoint } from '../http/endpoint.ts';
import { titled } from './components.ts';
import { outputSchema } from './json-schema.ts';
import { type NamedOperation, pascal } from './operation-names.ts';

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
      ...(hasMeta ? { meta: LIST_META, links: LIST_LINKS } : {}),
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
