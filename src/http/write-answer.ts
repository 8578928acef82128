import { Readable } from 'node:stream';
import type { RouterContext } from '@koa/router';
import type { Surface } from '../domain/refusals.ts';
import type { Endpoint } from './endpoint.ts';
import {
  helpLink,
  type RefusalReply,
  type Reply,
  type ReplyFile,
  refusalAnswer,
} from './envelope.ts';
import { writeConditionally } from './lists/conditional-answer.ts';

/** Writes the answer of a successful request. */
export function writeReply(context: RouterContext, endpoint: Endpoint, reply: Reply): void {
  context.status = endpoint.noContent ? 204 : 200;
  context.state.statusCode = context.status;
  if (endpoint.noContent) return;
  if (endpoint.csv) context.vary('Accept');
  if (reply.file) {
    writeFile(context, reply.file);
    return;
  }
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

/** An error in the middle breaks the connection: a file that ends is complete. */
function writeFile(context: RouterContext, { name, type, parts }: ReplyFile): void {
  context.attachment(name);
  context.type = `${type}; charset=utf-8`;
  const body = Readable.from(parts);
  body.once('error', () => context.res.destroy());
  context.body = body;
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
