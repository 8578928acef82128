import type Router from '@koa/router';
import { etagOf, isKnown } from '../etag.ts';
import { once } from '../once.ts';

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
const CACHE_SECONDS = 300;

/** Routes for documents; tools that run in a browser may read them from anywhere. */
export function routeDocuments(router: Router, documents: readonly PublicDocument[]): void {
  for (const { path, type, body } of documents) {
    const make = once(async () => {
      const content = await body();
      return { content, etag: etagOf(content) };
    });
    router.get(path, async (context) => {
      const { content, etag } = await make();
      context.set({
        ETag: etag,
        'Cache-Control': `public, max-age=${CACHE_SECONDS}`,
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      });
      context.status = isKnown(context, etag) ? 304 : 200;
      if (context.status === 304) return;
      context.set('Content-Type', type);
      context.body = content;
    });
  }
}
