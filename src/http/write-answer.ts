import type { RouterContext } from '@koa/router';
import type { Surface } from '../domain/errors.js';
import type { Endpoint } from './endpoint.js';
import { helpLink, type RefusalReply, type Reply, refusalAnswer } from './envelope.js';
import { writeConditionally } from './lists/conditional-answer.js';

/** Writes the answer of a successful request. */
export function writeReply(context: RouterContext, endpoint: Endpoint, reply: Reply): void {
  context.status = 200;
  context.state.statusCode = 200;
  if (reply.replayed) context.set('Idempotent-Replayed', 'true');
  const body = endpoint.bare
    ? reply.data
    : {
        success: true,
        message: reply.message ?? 'OK',
        statusCode: 200,
        data: reply.data,
        ...(reply.meta ? { meta: reply.meta } : {}),
        ...(reply.links ? { links: reply.links } : {}),
      };
  if (endpoint.isConditional) writeConditionally(context, JSON.stringify(body));
  else context.body = body;
}

/** Writes the answer of a refused or failed request. */
export function writeRefusal(
  context: RouterContext,
  publicUrl: string,
  surface: Surface,
  endpoint: Endpoint,
  refusal: RefusalReply,
): void {
  const { status, envelope } = refusalAnswer(refusal, surface, endpoint.operation);
  context.status = status;
  context.state.statusCode = envelope.statusCode;
  Object.assign(context.state.log, { reason: refusal.reason });
  if (refusal.replayed) context.set('Idempotent-Replayed', 'true');
  // HTTP requires `Allow` on 405, which "Not enough money" answers.
  if (status === 405) context.set('Allow', endpoint.method);
  if (refusal.retryAfterSeconds) context.set('Retry-After', String(refusal.retryAfterSeconds));
  context.set('Link', helpLink(publicUrl, surface, envelope.statusCode));
  context.body = envelope;
}
