import Router, { type RouterContext } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { DOCS_PATH } from '../docs-site/page.ts';
import type { Refusal, Surface } from '../domain/refusals.ts';
import { tracing } from '../tracing/tracing.ts';
import type { Endpoint } from './endpoint.ts';
import { errorReply } from './error-reply.ts';
import { promoImages } from './files/promo-images.ts';
import { type PublicDocument, routeDocuments } from './files/public-documents.ts';
import { handleEndpoint } from './handle-endpoint.ts';
import { methodsAt } from './methods-at.ts';
import { requestLog } from './observation/request-log.ts';
import { requestTrace } from './observation/request-trace.ts';
import { securityHeaders } from './security-headers.ts';
import type { Services } from './services.ts';
import { writeRefusal } from './write-answer.ts';

/** One of the two APIs: its base path and its endpoints. */
export interface SurfaceRoutes {
  readonly surface: Surface;
  readonly basePath: string;
  readonly endpoints: readonly Endpoint[];
}

/** Pages for people beside the APIs; their errors are pages as well. */
export interface PagesSurface {
  readonly basePath: string;
  readonly middleware: Middleware;
  methodsOf(path: string): string[];
  answerRefusal(context: Context, refusal: Refusal): void;
}

/** A person who knows the address alone sees the documentation; for a program there is nothing. */
const leadPeopleToDocs: Middleware = (context, next) => {
  const isPerson = context.accepts('json', 'html') === 'html';
  if (context.path !== '/' || !isPerson || !['GET', 'HEAD'].includes(context.method)) return next();
  context.vary('Accept');
  context.redirect(DOCS_PATH);
};

/**
 * The Koa application of both surfaces. A request passes log, error reply, route, the guards of
 * pipeline.ts, and the handler.
 */
export function createApp(
  services: Services,
  surfaces: readonly SurfaceRoutes[],
  pages: readonly PagesSurface[],
  documents: readonly PublicDocument[] = [],
): Koa {
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
          // A static path is never a parameter of another route: GET on it answers 405.
          path.includes(':') && methodsByPath.has(context.path)
            ? next()
            : handleEndpoint(services, surface, endpoint, context),
        );
      }
    }
  }
  const surfaceOf = (path: string): Surface =>
    surfaces.find(({ basePath }) => path.startsWith(`${basePath}/`))?.surface ?? 'partner';
  routeDocuments(router, documents);
  const pagesAt = (path: string) =>
    pages.find(({ basePath }) => path === basePath || path.startsWith(`${basePath}/`));
  const answer = (context: Context, refusal: Refusal): void => {
    Object.assign(context.state.log, { reason: refusal.reason });
    const surface = pagesAt(context.path);
    if (surface) surface.answerRefusal(context, refusal);
    else writeRefusal(context, services.settings.publicUrl, surfaceOf(context.path), refusal);
  };
  const methodsOf = (path: string): string[] =>
    pagesAt(path)?.methodsOf(path) ?? methodsByPath.get(path) ?? methodsAt(router, path);

  if (tracing()) app.use(requestTrace);
  app.use(requestLog(services.logger, services.metrics));
  const protect = securityHeaders({ isSecure: services.settings.publicUrl.startsWith('https:') });
  app.use((context, next) => (pagesAt(context.path) ? next() : protect(context, next)));
  app.use(errorReply(services, answer, methodsOf));
  app.use(leadPeopleToDocs);
  app.use((context, next) => pagesAt(context.path)?.middleware(context, next) ?? next());
  app.use(router.routes());
  const basePaths = surfaces.map(({ basePath }) => basePath);
  app.use(promoImages(services.settings.promoImageFolder, basePaths));
  return app;
}
