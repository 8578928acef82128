import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'koa';
import { PORTAL_PATH } from './page.js';

const types = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;

/**
 * A static file whose path contains the hash of its content, so that browsers can cache it for
 * ever.
 */
function asset(name: string, extension: keyof typeof types) {
  const content = readFileSync(new URL(`./assets/${name}.${extension}`, import.meta.url));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return {
    path: `${PORTAL_PATH}/assets/${name}.${hash}.${extension}`,
    content,
    etag: `"${hash}"`,
    type: `${types[extension]}; charset=utf-8`,
  };
}

/** All files that pages load. */
export const assets = {
  stylesheet: asset('portal', 'css'),
  copyScript: asset('copy', 'js'),
  logo: asset('logo', 'svg'),
};

const byPath = new Map(Object.values(assets).map((one) => [one.path, one]));

/** Answers with the file of the path; false where there is none. */
export function answerAsset(context: Context): boolean {
  const found = byPath.get(context.path);
  if (found === undefined) return false;
  context.status = 200;
  context.set('Content-Type', found.type);
  context.set('ETag', found.etag);
  context.set('Cache-Control', 'public, max-age=31536000, immutable');
  if (context.get('If-None-Match') === found.etag) context.status = 304;
  else context.body = found.content;
  return true;
}
