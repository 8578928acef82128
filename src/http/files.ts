import { hash } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, sep } from 'node:path';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Config } from '../config/config.ts';
import { isImagePath } from '../domain/image-path.ts';
import { answerVersion, etagOf } from './envelope.ts';
import { once } from './once.ts';

const assetTypes = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;

/** A file that pages name, with its content's hash in its path, so that caches keep it for ever. */
interface StaticAsset {
  readonly path: string;
  readonly content: Buffer;
  readonly etag: string;
  readonly type: string;
}

/** Reads `name` of a folder for pages below `basePath`; it is read once, at the start. */
export const readAsset = (folder: URL, name: string, basePath: string): StaticAsset =>
  staticAsset(name, readFileSync(new URL(name, folder)), basePath);

/** An asset of a content that is not a file as it is. */
function staticAsset(name: string, content: Buffer, basePath: string): StaticAsset {
  const [, stem = '', extension = ''] = /^(.*)\.(\w+)$/.exec(name) ?? [];
  const version = hash('sha256', content).slice(0, 16);
  return {
    path: `${basePath}/assets/${stem}.${version}.${extension}`,
    content,
    etag: `"${version}"`,
    type: `${assetTypes[extension as keyof typeof assetTypes]}; charset=utf-8`,
  };
}

/** Answers with the asset that the path names; false where there is none. */
export function answerAsset(context: Context, assets: readonly StaticAsset[]): boolean {
  const found = assets.find(({ path }) => path === context.path);
  if (found === undefined) return false;
  context.set('Cache-Control', 'public, max-age=31536000, immutable');
  answerVersion(context, found);
  return true;
}

/** The place of an import at the beginning of a line; comments do not begin so. */
const IMPORT = /^((?:import|export)\b[^'"`;]*?\bfrom\s*)['"]([^'"]+)['"]/gm;

/**
 * Reads a module for browsers with all modules that it imports, from packages as well. Each import
 * names the path of its asset, so that pages need neither a bundler nor an inline import map. The
 * module itself comes first.
 */
export function readModules(entry: string, basePath: string): [StaticAsset, ...StaticAsset[]] {
  const read = new Map<string, StaticAsset>();
  const readOne = (file: string): StaticAsset => {
    const known = read.get(file);
    if (known) return known;
    const { resolve } = createRequire(file);
    const text = readFileSync(file, 'utf8').replaceAll(
      IMPORT,
      (_, before: string, name: string) => `${before}'${readOne(resolve(name)).path}'`,
    );
    const asset = staticAsset(basename(file), Buffer.from(text), basePath);
    read.set(file, asset);
    return asset;
  };
  return [readOne(entry), ...read.values()];
}

/** Image types that browsers show and cannot execute. */
const imageTypes: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
};

/** A changed image keeps its path, so caches revalidate after this time. */
const IMAGE_CACHE_SECONDS = 3_600;

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
    const type = imageTypes[/\.(\w+)$/.exec(context.path)?.[1]?.toLowerCase() ?? ''];
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
  context.set('Cache-Control', `public, max-age=${IMAGE_CACHE_SECONDS}`);
  // Partners embed the images in their own pages.
  context.set('Cross-Origin-Resource-Policy', 'cross-origin');
  if (context.fresh) context.status = 304;
  if (context.method === 'HEAD' || context.status === 304) await file.close();
  // The stream closes the file, also when the caller disconnects.
  else context.body = file.createReadStream();
}

/** Something that is served as it is to everybody, and changes with a new version only. */
export interface PublicDocument {
  /** Where it is found; not below the base of an API. */
  readonly path: string;
  /** As Content-Type has it. */
  readonly type: string;
  /** Makes it; called once, when somebody asks for it. */
  readonly body: () => string | Buffer | Promise<string | Buffer>;
}

/** Caches may keep a document for this time; then they ask whether it has changed. */
const DOCUMENT_CACHE_SECONDS = 300;

/** Routes for documents; tools that run in a browser may read them from anywhere. */
export function routeDocuments(router: Router, documents: readonly PublicDocument[]): void {
  for (const { path, type, body } of documents) {
    const make = once(async () => {
      const content = await body();
      return { type, content, etag: etagOf(content) };
    });
    router.get(path, async (context) => {
      context.set({
        'Cache-Control': `public, max-age=${DOCUMENT_CACHE_SECONDS}`,
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      });
      answerVersion(context, await make());
    });
  }
}

const DAY_MS = 86_400_000;
/** RFC 9116 advises less than a year; a process is restarted more often. */
const VALID_DAYS = 180;

/** Where weaknesses are reported (RFC 9116); nothing where the deployment names no contact. */
export const securityContact = ({
  securityContact: contact,
  publicUrl,
}: Pick<Config['http'], 'securityContact' | 'publicUrl'>): PublicDocument[] =>
  contact === undefined
    ? []
    : [
        {
          path: '/.well-known/security.txt',
          type: 'text/plain; charset=utf-8',
          body: () =>
            [
              `Contact: ${contact}`,
              `Expires: ${new Date(Date.now() + VALID_DAYS * DAY_MS).toISOString()}`,
              'Preferred-Languages: en',
              `Canonical: ${publicUrl}/.well-known/security.txt`,
              '',
            ].join('\n'),
        },
      ];
