import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/**
 * Writes JSON that the caller may keep and ask about again (RFC 9110, 13.1.2). No cache in between
 * keeps it, and one that does all the same must not give it to whoever has another token.
 *
 * Koa's `fresh` is not asked: it answers in full wherever the request has `Cache-Control: no-cache`,
 * which the fetch of Node.js adds to every request with `If-None-Match`.
 */
export function writeConditionally(context: Context, json: string): void {
  const etag = `"${createHash('sha256').update(json).digest('base64url')}"`;
  context.set('Cache-Control', 'private, no-cache');
  context.set('Vary', 'x-api-token, Authorization');
  context.set('ETag', etag);
  if (isAmong(etag, context.get('If-None-Match'))) {
    context.status = 304;
    return;
  }
  context.type = 'json';
  context.body = json;
}

const isAmong = (etag: string, header: string): boolean =>
  header.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));
