import type { Context, Middleware, Next } from 'koa';
import type { Logger } from 'pino';
import type { Metrics } from '../runtime/metrics/metrics.ts';
import { tracing } from '../runtime/tracing/tracing.ts';

/**
 * Logs one line per request: method, route pattern (paths hold voucher codes), status and time. It
 * has no code, key, token or phone number. The line of an operation also has its id and that of its
 * workflow. The caller gets the same id as `X-Request-Id`. Metrics count what the line says.
 */
export function requestLog(logger: Logger, metrics: Metrics): Middleware {
  return async (context, next) => {
    const startedAt = performance.now();
    const requestId = crypto.randomUUID();
    context.state.log = { requestId, ...context.state.trace };
    context.set('X-Request-Id', requestId);
    await next();
    const seconds = (performance.now() - startedAt) / 1_000;
    const { surface = 'other', route = 'other', reason = 'none' } = context.state.log;
    const { method, status } = context;
    metrics.count('http_requests_total', {
      surface,
      route,
      method,
      status: String(status),
      reason,
    });
    metrics.observe('http_request_duration_seconds', { surface, route }, seconds);
    logger.info(
      {
        ...context.state.log,
        method,
        status,
        statusCode: context.state.statusCode,
        milliseconds: Math.round(seconds * 10_000) / 10,
      },
      'request',
    );
  };
}

/**
 * Makes a span of a request, below the caller's `traceparent` where it has one. It names the route
 * pattern, because paths hold voucher codes; the line of the log gets the id of the trace.
 */
export async function requestTrace(context: Context, next: Next): Promise<void> {
  const traces = tracing();
  if (!traces) return next();
  const { method } = context;
  const parent = context.get('traceparent') || undefined;
  await traces.inSpan({ name: method, kind: 'server', parent }, async (span) => {
    context.state.trace = { traceId: span.traceparent.slice(3, 35) };
    await next();
    const { route, reason, surface, requestId, operationId } = context.state.log ?? {};
    if (route !== undefined) span.rename(`${method} ${route}`);
    const { status } = context;
    span.set({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      surface,
      reason,
      requestId,
      operationId,
    });
    if (status >= 500) span.fail(String(status));
  });
}
