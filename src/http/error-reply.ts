import type { Context, Middleware } from 'koa';
import { isDatabaseUnavailable } from '../db/connection.ts';
import { type Reason, type Refusal, refuse } from '../domain/refusals.ts';
import { WorkflowsUnavailableError } from '../operations/workflow-client/workflow-errors.ts';
import { describeError } from '../process/describe-error.ts';
import { RawBodyError } from './body/raw-body.ts';
import { recordCall } from './call-log/record-call.ts';
import type { Services } from './services.ts';

const rawBodyReasons: Record<RawBodyError['failure'], Reason> = {
  'too-large': 'body-too-large',
  'unsupported-encoding': 'media-type-unsupported',
  aborted: 'request-invalid',
};

/**
 * The only place that catches: every error becomes an answer, and an unknown route becomes 404 or
 * 405. Unexpected errors are not shown; the log holds them under the request's id.
 */
export function errorReply(
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
  if (error instanceof RawBodyError)
    return refuse(rawBodyReasons[error.failure], { detail: error.message });
  if (error instanceof URIError)
    return refuse('request-invalid', { detail: 'the path is malformed' });
  if (error instanceof WorkflowsUnavailableError || isDatabaseUnavailable(error))
    return refuse('unavailable', { retryAfterSeconds: 1 });
  return refuse('internal-error');
}
