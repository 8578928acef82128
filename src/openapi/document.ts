import type {
  HeadersObject,
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { SurfaceRoutes } from '../http/app.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { headerComponents } from './headers.ts';
import { operationOf } from './operation.ts';
import { refusalExamples, refusalReasons } from './refusals.ts';
import { withNamedSchemas } from './schemas.ts';
import { webhooksOf } from './webhooks.ts';

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
  const schemas: Record<string, SchemaObject> = {};
  const paths: Record<string, PathItemObject> = {};
  for (const endpoint of endpoints) {
    const path = templateOf(endpoint.path);
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: withNamedSchemas(
        operationOf(surface, endpoint, {
          id: operationIdOf(endpoint),
          tag: tagOf(tags, endpoint).name,
        }),
        schemas,
      ),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title, version: API_VERSION, description },
    servers: [{ url: publicUrl + basePath }],
    tags: tags.map(({ name, description: about }) => ({ name, description: about })),
    paths,
    webhooks: withNamedSchemas(webhooksOf(surface), schemas),
    components: {
      headers: usedHeaders(paths),
      // The header of every refusal refers to it, and so does its data.
      schemas: { ...schemas, ErrorReason: refusalReasons(routes) },
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

/** The headers that the paths refer to. */
function usedHeaders(paths: object): HeadersObject {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(headerComponents).filter(([name]) =>
      text.includes(`"#/components/headers/${name}"`),
    ),
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
