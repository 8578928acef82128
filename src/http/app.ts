import Router, { type RouterContext } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { isDatabaseUnavailable } from '../db/connection.ts';
import { DOCS_PATH } from '../docs-site/page.ts';
import { type Refusal, refuse, type Surface } from '../domain/refusals.ts';
import { WorkflowsUnavailableError } from '../operations/call-errors.ts';
import { describeError } from '../runtime/process/logger.ts';
import { tracing } from '../runtime/tracing/tracing.ts';
import { RawBodyError } from './body/json-body.ts';
import type { Endpoint } from './endpoint.ts';
import { type PublicDocument, promoImages, routeDocuments } from './files.ts';
import { securityHeaders } from './headers.ts';
import { requestLog, requestTrace } from './observation.ts';
import { handleEndpoint, recordCall } from './pipeline.ts';
import type { Services } from './services.ts';
import { writeRefusal } from './write-answer.ts';

/**
 * The only place that catches: every error becomes an answer, and an unknown route becomes 404 or
 * 405. Unexpected errors are not shown; the log holds them under the request's id.
 */
function errorReply(
  services: Services,
  answer: (context: Context, refusal: Refusal) => void,
  methodsOf: (path: string) => string[],
): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = refusalFor(error);
      if (refusal.reason === 'internal-error' || refusal.reason === 'unavailable')
        services.logger.error({ ...describeError(error), ...context.state.log }, 'Request failed');
      recordCall(services.calls, context, refusal);
      answer(context, refusal);
      return;
    }
    if (context.body !== undefined || context.status !== 404) return;
    const methods = methodsOf(context.path);
    if (methods.length > 0) context.set('Allow', [...new Set(methods)].join(', '));
    const reason = methods.length > 0 ? 'method-not-allowed' : 'route-not-found';
    answer(context, refuse(reason));
  };
}

function refusalFor(error: unknown): Refusal {
  if (error instanceof RawBodyError) return refuse(error.reason, { detail: error.message });
  if (error instanceof URIError)
    return refuse('request-invalid', { detail: 'the path is malformed' });
  if (error instanceof WorkflowsUnavailableError || isDatabaseUnavailable(error))
    return refuse('unavailable', { retryAfterSeconds: 1 });
  return refuse('internal-error');
}

/** The methods of a router's routes at a path; of a static one, those of its own routes. */
export const methodsAt = (router: Router, path: string, isStatic = false): string[] =>
  router
    .match(path, 'OPTIONS')
    .path.flatMap((route) => (isStatic && route.path !== path ? [] : route.methods));

/** One of the two APIs: its base path and its endpoints. */
export interface SurfaceRoutes {
  readonly surface: Surface;
  /** Of metrics and logs; `surface` where it is absent. */
  readonly audience?: 'other';
  readonly basePath: string;
  readonly endpoints: readonly Endpoint[];
}

/** Pages for people, next to the APIs; their errors are pages as well. */
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
  /** Each path of an endpoint. A static one is never a parameter of another route: GET on it answers 405. */
  const paths = new Set<string>();
  for (const routes of surfaces) {
    const { basePath, endpoints } = routes;
    for (const endpoint of endpoints) {
      for (const path of [endpoint.path, ...(endpoint.aliases ?? [])].map(
        (end) => basePath + end,
      )) {
        paths.add(path);
        router.register(path, [endpoint.method], (context: RouterContext, next) =>
          path.includes(':') && paths.has(context.path)
            ? next()
            : handleEndpoint(services, routes, endpoint, context),
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
    else writeRefusal(context, services.settings.http.publicUrl, surfaceOf(context.path), refusal);
  };
  const methodsOf = (path: string): string[] =>
    pagesAt(path)?.methodsOf(path) ?? methodsAt(router, path, paths.has(path));

  if (tracing()) app.use(requestTrace);
  app.use(requestLog(services.logger, services.metrics));
  const protect = securityHeaders({
    isSecure: services.settings.http.publicUrl.startsWith('https:'),
  });
  app.use((context, next) => (pagesAt(context.path) ? next() : protect(context, next)));
  app.use(errorReply(services, answer, methodsOf));
  app.use(leadPeopleToDocs);
  app.use((context, next) => pagesAt(context.path)?.middleware(context, next) ?? next());
  app.use(router.routes());
  const basePaths = surfaces.map(({ basePath }) => basePath);
  app.use(promoImages(services.settings.http.promoImageFolder, basePaths));
  return app;
}
