import Router from '@koa/router';
import type { Context } from 'koa';
import { messageOf, statusCodeOf } from '../domain/refusals.ts';
import type { PagesSurface } from '../http/app.ts';
import { routeDocuments } from '../http/files/public-documents.ts';
import { answerAsset } from '../http/files/static-assets.ts';
import { methodsAt } from '../http/methods-at.ts';
import { allowCalls, setPageHeaders } from '../http/page-headers.ts';
import { merchantRoutes } from '../merchant/routes.ts';
import { openApiDocuments, servedDocuments } from '../openapi/both-documents.ts';
import { partnerRoutes } from '../partner/routes.ts';
import { type Html, html } from '../rendering/html.ts';
import { importedAssets, ownAssets, sharedAssets } from './assets.ts';
import { guides } from './guides.ts';
import { layout } from './layout.ts';
import type { SiteAddresses } from './markdown.ts';
import { DOCS_PATH, type DocsPage } from './page.ts';
import { errorsPage } from './pages/errors.ts';
import { guidePage } from './pages/guide.ts';
import { homePage } from './pages/home.ts';
import { referencePage } from './pages/reference.ts';
import { searchResults } from './pages/search.ts';

/** The documentation for integrators: guides, reference, errors, search and the OpenAPI documents. */
export function createDocsSite(
  settings: SiteAddresses & { readonly environment: 'test' | 'production' },
): PagesSurface {
  const { publicUrl } = settings;
  const documents = openApiDocuments(publicUrl);
  const canTry = settings.environment === 'test';
  const pages: DocsPage[] = [
    homePage,
    referencePage(partnerRoutes, documents.partner, { canTry }),
    referencePage(merchantRoutes, documents.merchant, { canTry }),
    errorsPage([
      { title: 'Partner API', routes: partnerRoutes },
      { title: 'Merchant API', routes: merchantRoutes },
    ]),
    ...guides.map((guide) => guidePage(guide, settings)),
  ];
  const entries = pages.flatMap((page) => page.entries);
  const router = new Router({ exclusive: true });
  routeDocuments(router, [
    ...servedDocuments(documents),
    ...pages.map((page) => ({
      path: DOCS_PATH + page.path,
      type: 'text/html; charset=utf-8',
      body: layout(page),
    })),
  ]);
  router.get(`${DOCS_PATH}/search`, (context) => {
    const query = String([context.query.q ?? ''].flat()[0]).trim();
    const content = searchResults(entries, query);
    context.status = 200;
    context.state.statusCode = 200;
    writePage(context, { title: 'Search', content, query });
  });
  const routes = router.routes();
  const assets = [...Object.values(ownAssets), ...importedAssets, ...Object.values(sharedAssets)];
  return {
    basePath: DOCS_PATH,
    async middleware(context, next) {
      setPageHeaders(context, publicUrl.startsWith('https:'));
      allowCalls(context);
      if (['GET', 'HEAD'].includes(context.method) && answerAsset(context, assets)) return;
      await routes(context as Parameters<typeof routes>[0], next);
    },
    methodsOf: (path) => methodsAt(router, path),
    answerRefusal(context, { reason }) {
      context.status = statusCodeOf(reason, 'partner');
      context.state.statusCode = context.status;
      const title = reason === 'route-not-found' ? 'There is no such page' : messageOf(reason);
      const content = html`<h1>${title}</h1><p>The menu and the search lead on.</p>`;
      writePage(context, { title, content });
    },
  };
}

function writePage(
  context: Context,
  page: { readonly title: string; readonly content: Html; readonly query?: string },
): void {
  context.type = 'text/html; charset=utf-8';
  context.body = layout({ ...page, path: context.path.slice(DOCS_PATH.length) });
}
