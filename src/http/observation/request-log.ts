import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Metrics } from '../../process/metrics/metrics.ts';

/**
 * Logs one line per request: method, route pattern (paths hold voucher codes), status and time; no
 * code, key, token or phone number; of an operation also its id and that of its workflow. The caller gets the same id as `X-Request-Id`. Metrics count what
 * the line says.
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
