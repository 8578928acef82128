import Router from '@koa/router';
import type { Context } from 'koa';
import { messageOf, statusCodeOf } from '../domain/refusals.ts';
import type { PagesSurface } from '../http/app.ts';
import { type PublicDocument, routeDocuments } from '../http/files/public-documents.ts';
import { answerAsset } from '../http/files/static-assets.ts';
import { methodsAt } from '../http/methods-at.ts';
import { once } from '../http/once.ts';
import { allowCalls, setPageHeaders } from '../http/page-headers.ts';
import { servedDocuments } from '../openapi/both-documents.ts';
import { type Html, html } from '../rendering/html.ts';
import { allPages, type SiteSettings } from './all-pages.ts';
import { importedAssets, ownAssets, sharedAssets } from './assets.ts';
import { layout } from './layout.ts';
import { DOCS_PATH, type DocsPage, markdownPath } from './page.ts';
import { downloads } from './pages/downloads.ts';
import { searchResults } from './pages/search.ts';
import { indexPath } from './reference-paths.ts';

/**
 * The documentation for integrators: guides, reference, errors, downloads, search and the OpenAPI documents.
 * Nothing of it is made before its first request, so that a process starts without it.
 */
export function createDocsSite(settings: SiteSettings): PagesSurface {
  const { publicUrl } = settings;
  const site = once(() => {
    const router = routerOf(settings);
    return { router, routes: router.routes() };
  });
  const assets = [...Object.values(ownAssets), ...importedAssets, ...Object.values(sharedAssets)];
  return {
    basePath: DOCS_PATH,
    async middleware(context, next) {
      setPageHeaders(context, publicUrl.startsWith('https:'));
      allowCalls(context);
      if (['GET', 'HEAD'].includes(context.method) && answerAsset(context, assets)) return;
      const { routes } = site();
      await routes(context as Parameters<typeof routes>[0], next);
    },
    methodsOf: (path) => methodsAt(site().router, path),
    answerRefusal(context, { reason }) {
      context.status = statusCodeOf(reason, 'partner');
      context.state.statusCode = context.status;
      const title = reason === 'route-not-found' ? 'There is no such page' : messageOf(reason);
      const content = html`<h1>${title}</h1><p>The menu and the search lead on.</p>`;
      writePage(context, { title, content });
    },
  };
}

function routerOf(settings: SiteSettings): Router {
  const pages = allPages(settings).flatMap((group) => group.pages);
  const router = new Router({ exclusive: true });
  routeDocuments(router, [
    ...servedDocuments(settings.publicUrl),
    ...pages.flatMap(documentsOf),
    ...downloads(),
  ]);
  for (const surface of ['partner', 'merchant'] as const)
    router.get(`${DOCS_PATH}/${surface}`, (context) => {
      context.status = 301;
      context.redirect(DOCS_PATH + indexPath(surface));
    });
  const entries = once(() => pages.flatMap((page) => page.entries()));
  router.get(`${DOCS_PATH}/search`, (context) => {
    const query = String([context.query.q ?? ''].flat()[0]).trim();
    const content = searchResults(entries(), query);
    context.status = 200;
    context.state.statusCode = 200;
    writePage(context, { title: 'Search', content, query });
  });
  return router;
}

/** A page for people, and the same as Markdown. */
function documentsOf(page: DocsPage): PublicDocument[] {
  const written = once(async () => page.write());
  return [
    {
      path: DOCS_PATH + page.path,
      type: 'text/html; charset=utf-8',
      body: async () => layout({ ...page, content: (await written()).content, hasMarkdown: true }),
    },
    {
      path: markdownPath(page),
      type: 'text/markdown; charset=utf-8',
      body: async () => (await written()).markdown,
    },
  ];
}

function writePage(
  context: Context,
  page: { readonly title: string; readonly content: Html; readonly query?: string },
): void {
  context.type = 'text/html; charset=utf-8';
  context.body = layout({
    ...page,
    path: context.path.slice(DOCS_PATH.length),
    hasMarkdown: false,
  });
}
