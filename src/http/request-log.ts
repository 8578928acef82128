import type { Middleware } from 'koa';
import type { Logger } from 'pino';

/**
 * Logs one line per request: method, route pattern (paths hold voucher codes), status and time; no
 * code, key, token or phone number. The caller gets the same id as `X-Request-Id`.
 */
export function requestLog(logger: Logger): Middleware {
  return async (context, next) => {
    const startedAt = performance.now();
    const requestId = crypto.randomUUID();
    context.state.log = { requestId };
    context.set('X-Request-Id', requestId);
    await next();
    logger.info(
      {
        ...context.state.log,
        method: context.method,
        status: context.status,
        statusCode: context.state.statusCode,
        milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
      },
      'request',
    );
  };
}
