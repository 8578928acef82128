import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Context, Middleware } from 'koa';
import { isImagePath } from '../../domain/image-path.ts';

/** Image types that browsers show and cannot execute. */
const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
};

/** A changed image keeps its path, so caches revalidate after this time. */
const CACHE_SECONDS = 3_600;

/**
 * Serves the images of promos (specification 2.7) from a folder. Their paths are relative to the
 * public address or to a base path. Only regular image files in the folder are served; other
 * requests continue to the next middleware.
 */
export function promoImages(folder: string | undefined, basePaths: readonly string[]): Middleware {
  return async (context, next) => {
    const found = await find(context);
    if (found === undefined) return next();
    try {
      await answer(context, found);
    } catch (error) {
      await found.file.close();
      throw error;
    }
  };

  async function find(context: Context): Promise<FoundImage | undefined> {
    if (folder === undefined || !['GET', 'HEAD'].includes(context.method)) return undefined;
    const base = basePaths.find((path) => context.path.startsWith(`${path}/`)) ?? '';
    const type = types[/\.(\w+)$/.exec(context.path)?.[1]?.toLowerCase() ?? ''];
    if (type === undefined) return undefined;
    const segments = context.path
      .slice(base.length + 1)
      .split('/')
      .map(decodeURIComponent);
    if (!isImagePath(segments)) return undefined;
    const file = await openWithin(folder, segments);
    return file && { file, type };
  }
}

interface FoundImage {
  readonly file: FileHandle;
  readonly type: string;
}

/**
 * Opens a regular file in a folder; undefined where it does not exist or a link leads out of the
 * folder.
 */
async function openWithin(
  folder: string,
  segments: readonly string[],
): Promise<FileHandle | undefined> {
  let file: FileHandle | undefined;
  try {
    const root = await realpath(folder);
    const path = await realpath(join(root, ...segments));
    if (!path.startsWith(root + sep)) return undefined;
    // O_NONBLOCK: opening a FIFO would block the call.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
  } catch {
    // Any failure means that there is no image.
  }
  await file?.close();
  return undefined;
}

async function answer(context: Context, { file, type }: FoundImage): Promise<void> {
  const { size, mtime } = await file.stat();
  context.status = 200;
  context.type = type;
  context.length = size;
  context.lastModified = mtime;
  context.etag = `"${size.toString(16)}-${mtime.getTime().toString(16)}"`;
  context.set('Cache-Control', `public, max-age=${CACHE_SECONDS}`);
  // Partners embed the images in their own pages.
  context.set('Cross-Origin-Resource-Policy', 'cross-origin');
  if (context.fresh) context.status = 304;
  if (context.method === 'HEAD' || context.status === 304) await file.close();
  // The stream closes the file, also when the caller disconnects.
  else context.body = file.createReadStream();
}
