import type {
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { SurfaceRoutes } from '../http/app.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { headerComponents } from './headers.ts';
import { operationOf } from './operation.ts';
import { REFUSAL_DATA, refusalExamples, refusalReasons } from './refusal-responses.ts';

/** Raised with every change of requests or answers; CHANGELOG.md describes the change. */
const API_VERSION = '1.0.0';

/** The texts of a document besides the endpoints. */
export interface DocumentTexts {
  readonly title: string;
  readonly description: string;
  /** By path prefix below the surface's base; each path belongs to the first matching tag. */
  readonly tags: readonly {
    readonly name: string;
    readonly description: string;
    readonly paths: readonly string[];
  }[];
}

/**
 * The OpenAPI 3.1 document of a surface, generated from the endpoint objects of the routes and the
 * schemas that validate requests.
 */
export function openApiDocument(
  routes: SurfaceRoutes,
  { title, description, tags }: DocumentTexts,
  publicUrl: string,
): OpenAPIObject {
  const { surface, basePath, endpoints } = routes;
  const paths: Record<string, PathItemObject> = {};
  for (const endpoint of endpoints) {
    const path = templateOf(endpoint.path);
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operationOf(surface, endpoint, {
        name: operationIdOf(endpoint),
        tag: tagOf(tags, endpoint).name,
      }),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title, version: API_VERSION, description },
    servers: [{ url: publicUrl + basePath }],
    tags: tags.map(({ name, description: about }) => ({ name, description: about })),
    paths,
    components: {
      headers: usedOf('headers', headerComponents, paths),
      schemas: {
        ...usedOf(
          'schemas',
          { ListMeta: LIST_META, ListLinks: LIST_LINKS, RefusalData: REFUSAL_DATA },
          paths,
        ),
        // The header of every refusal refers to it.
        ErrorReason: refusalReasons(routes),
      },
      examples: refusalExamples(routes),
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-token',
          description: 'The access token of POST /auth/login, valid for 300 seconds',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The same token in the header Authorization, in place of x-api-token',
        },
      },
    },
  };
}

type Tag = DocumentTexts['tags'][number];

/** @throws {Error} for an endpoint that belongs to no tag */
export function tagOf(tags: readonly Tag[], { path }: Pick<Endpoint, 'path'>): Tag {
  const found = tags.find(({ paths }) => paths.some((start) => path.startsWith(start)));
  if (!found) throw new Error(`No tag has the path ${path}`);
  return found;
}

/** The components that the paths refer to. */
function usedOf<Component>(
  kind: string,
  components: Readonly<Record<string, Component>>,
  paths: object,
): Record<string, Component> {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
}

/** The operation of an endpoint in its surface's document. */
export const operationAt = (
  { paths = {} }: OpenAPIObject,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): OperationObject | undefined => paths[templateOf(path)]?.[method === 'GET' ? 'get' : 'post'];

interface Media {
  readonly schema?: SchemaObject;
  readonly example?: unknown;
}

const jsonOf = (part: object | undefined): Media | undefined => {
  const { content } = (part ?? {}) as { content?: Record<string, Media> };
  return content?.['application/json'];
};

/** The schema of a body or of an answer in JSON; undefined where there is none. */
export const jsonSchema = (part: object | undefined): SchemaObject | undefined =>
  jsonOf(part)?.schema;

/** The recorded example of a body or of an answer in JSON; undefined where there is none. */
export const jsonExample = (part: object | undefined): unknown => jsonOf(part)?.example;

/** `/a/:b` in the notation of OpenAPI: `/a/{b}`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** A name for generated clients, from method and path: `postTopupTransactionsRedeemGift`. */
export const operationIdOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

const count = (description: string): SchemaObject => ({ type: 'integer', minimum: 0, description });

/** Specification 2.2. */
const LIST_META: SchemaObject = {
  type: 'object',
  description: 'The page of a list',
  required: ['itemsPerPage', 'totalItems', 'currentPage', 'totalPages'],
  properties: {
    itemsPerPage: count('Items of a page'),
    totalItems: count('Items of the whole list'),
    currentPage: count('Number of this page, from 1'),
    totalPages: count('Number of pages'),
    sortBy: {
      type: 'array',
      description: 'The applied order',
      items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
      examples: [[['id', 'DESC']]],
    },
    search: { type: 'string', description: 'The searched text' },
    searchBy: {
      type: 'array',
      items: { type: 'string' },
      description: 'The searched columns',
    },
    filter: {
      type: 'object',
      description: 'The conditions of the list, by column',
      additionalProperties: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
    },
  },
};

const link = (description: string): SchemaObject => ({
  type: 'string',
  format: 'uri',
  description,
});

const LIST_LINKS: SchemaObject = {
  type: 'object',
  description: 'Addresses of pages, with the query of this one',
  required: ['current'],
  properties: {
    current: link('This page'),
    first: link('The first page; absent on it'),
    previous: link('The page before; absent on the first'),
    next: link('The page after; absent on the last'),
    last: link('The last page; absent on it'),
  },
};
