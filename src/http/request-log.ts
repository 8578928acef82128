import type { Middleware } from 'koa';
import type { Logger } from 'pino';

/** What a request leaves for its line in the log; no code, key, token or number is ever among it. */
export interface LogFields {
  route?: string;
  surface?: string;
  companyId?: number;
  reason?: string;
}

/**
 * One line per request: method, route (as a pattern, since paths hold voucher codes), status and
 * time. The same id goes to the caller as `X-Request-Id`.
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
