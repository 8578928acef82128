import type { Context } from 'koa';
import { etagOf, isKnown } from '../etag.ts';

/**
 * Writes JSON that the caller may keep and revalidate (RFC 9110, 13.1.2). Shared caches may not
 * store it; `Vary` protects it from a cache that does.
 */
export function writeConditionally(context: Context, json: string): void {
  const etag = etagOf(json);
  context.set('Cache-Control', 'private, no-cache');
  context.set('Vary', 'x-api-token, Authorization');
  context.set('ETag', etag);
  if (isKnown(context, etag)) {
    context.status = 304;
    return;
  }
  context.type = 'json';
  context.body = json;
}
