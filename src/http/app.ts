import Router, { type RouterContext } from '@koa/router';
import Koa from 'koa';
import type { Surface } from '../domain/errors.js';
import type { Endpoint } from './endpoint.js';
import { errorReply } from './error-reply.js';
import { handleEndpoint } from './handle-endpoint.js';
import { requestLog } from './request-log.js';
import type { Services } from './services.js';

/** One of the two APIs: its base path and its endpoints. */
export interface SurfaceRoutes {
  readonly surface: Surface;
  readonly basePath: string;
  readonly endpoints: readonly Endpoint[];
}

/**
 * The Koa application of both surfaces. A request's way: log → error reply → route → access →
 * signature → schema → handler (README, "The path of one request").
 */
export function createApp(services: Services, surfaces: readonly SurfaceRoutes[]): Koa {
  const app = new Koa();
  const router = new Router({ exclusive: true });
  const methodsByPath = new Map<string, string[]>();
  for (const { surface, basePath, endpoints } of surfaces) {
    for (const endpoint of endpoints) {
      for (const path of [endpoint.path, ...(endpoint.aliases ?? [])].map(
        (end) => basePath + end,
      )) {
        methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), endpoint.method]);
        router.register(path, [endpoint.method], (context: RouterContext, next) =>
          // A path of its own is no parameter of another: GET on it is 405, not a look-up.
          path.includes(':') && methodsByPath.has(context.path)
            ? next()
            : handleEndpoint(services, surface, endpoint, context),
        );
      }
    }
  }
  const surfaceOf = (path: string): Surface =>
    surfaces.find(({ basePath }) => path.startsWith(`${basePath}/`))?.surface ?? 'partner';
  const methodsOf = (path: string): string[] =>
    methodsByPath.get(path) ?? router.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods);

  app.use(requestLog(services.logger));
  app.use(errorReply(services, surfaceOf, methodsOf));
  app.use(router.routes());
  return app;
}
