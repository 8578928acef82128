import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/**
 * Writes JSON that the caller may keep and revalidate (RFC 9110, 13.1.2). Shared caches may not
 * store it; `Vary` protects it from a cache that does.
 *
 * Koa's `fresh` is not used: it answers in full to every request with `Cache-Control: no-cache`,
 * which the fetch of Node.js adds to each request with `If-None-Match`.
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
