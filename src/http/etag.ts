import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** The version of an answer, of its content. */
export const etagOf = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url')}"`;

/**
 * Whether the caller has this version already (RFC 9110, 13.1.2). Koa's `fresh` is not asked: it answers
 * in full wherever the request has `Cache-Control: no-cache`, which the fetch of Node.js adds to every
 * request with `If-None-Match`.
 */
export const isKnown = (context: Context, etag: string): boolean =>
  context
    .get('If-None-Match')
    .split(',')
    .some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));
