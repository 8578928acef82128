import type { Context, Next } from 'koa';
import { tracing } from '../../tracing/tracing.ts';

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
      ...{ surface, reason, requestId, operationId },
    });
    if (status >= 500) span.fail(String(status));
  });
}
