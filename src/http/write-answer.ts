import { Readable } from 'node:stream';
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Surface } from '../domain/refusals.ts';
import type { Endpoint } from './endpoint.ts';
import {
  answerVersion,
  etagOf,
  helpLink,
  REASON_HEADER,
  type RefusalReply,
  type Reply,
  type ReplyFile,
  reasonAnchor,
  refusalAnswer,
} from './envelope.ts';

/**
 * Writes JSON that the caller may keep and revalidate (RFC 9110, 13.1.2). Shared caches may not
 * store it; `Vary` protects it from a cache that does.
 */
function writeConditionally(context: Context, json: string): void {
  context.set('Cache-Control', 'private, no-cache');
  context.set('Vary', 'x-api-token, Authorization');
  const type = 'application/json; charset=utf-8';
  answerVersion(context, { etag: etagOf(json), type, content: json });
}

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
        ...(reply.meta && { meta: reply.meta }),
        ...(reply.links && { links: reply.links }),
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
  context: Context,
  publicUrl: string,
  surface: Surface,
  refusal: RefusalReply,
  /** Absent where the request was refused before its endpoint was known. */
  endpoint?: Endpoint,
): void {
  const { reason, retryAfterSeconds } = refusal;
  const { status, envelope } = refusalAnswer(refusal, surface, endpoint?.operation);
  context.status = status;
  context.state.statusCode = envelope.statusCode;
  Object.assign(context.state.log, { reason });
  if (refusal.replayed) context.set('Idempotent-Replayed', 'true');
  // HTTP requires `Allow` on 405, which "Not enough money" answers.
  if (status === 405 && endpoint) context.set('Allow', endpoint.method);
  // HTTP requires it on 401.
  if (status === 401) context.set('WWW-Authenticate', 'Bearer');
  if (retryAfterSeconds) context.set('Retry-After', String(retryAfterSeconds));
  context.set(REASON_HEADER, reason);
  const anchor = reasonAnchor(surface, envelope.statusCode, reason);
  context.set('Link', helpLink(publicUrl, anchor));
  context.body = envelope;
}
