import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'koa';

const types = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;

/** A file that pages name, with its content's hash in its path, so that caches keep it for ever. */
export interface StaticAsset {
  readonly path: string;
  readonly content: Buffer;
  readonly etag: string;
  readonly type: string;
}

/** Reads `name` of a folder for pages below `basePath`; it is read once, at the start. */
export const readAsset = (folder: URL, name: string, basePath: string): StaticAsset =>
  staticAsset(name, readFileSync(new URL(name, folder)), basePath);

/** An asset of a content that is not a file as it is. */
export function staticAsset(name: string, content: Buffer, basePath: string): StaticAsset {
  const [, stem = '', extension = ''] = /^(.*)\.(\w+)$/.exec(name) ?? [];
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return {
    path: `${basePath}/assets/${stem}.${hash}.${extension}`,
    content,
    etag: `"${hash}"`,
    type: `${types[extension as keyof typeof types]}; charset=utf-8`,
  };
}

/** Answers with the asset that the path names; false where there is none. */
export function answerAsset(context: Context, assets: readonly StaticAsset[]): boolean {
  const found = assets.find(({ path }) => path === context.path);
  if (found === undefined) return false;
  context.status = 200;
  context.set('Content-Type', found.type);
  context.set('ETag', found.etag);
  context.set('Cache-Control', 'public, max-age=31536000, immutable');
  if (context.get('If-None-Match') === found.etag) context.status = 304;
  else context.body = found.content;
  return true;
}
