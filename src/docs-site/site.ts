import Router from '@koa/router';
import type { Context } from 'koa';
import { messageOf, statusCodeOf } from '../domain/errors.js';
import type { PagesSurface } from '../http/app.js';
import { routeDocuments } from '../http/files/public-documents.js';
import { answerAsset } from '../http/files/static-assets.js';
import { merchantRoutes } from '../merchant/routes.js';
import { openApiDocuments, servedDocuments } from '../openapi/both-documents.js';
import { partnerRoutes } from '../partner/routes.js';
import { type Html, html } from '../process/html.js';
import { ownAssets, sharedAssets } from './assets.js';
import { guides } from './guides.js';
import { layout } from './layout.js';
import { DOCS_PATH, type DocsPage } from './page.js';
import { errorsPage } from './pages/errors.js';
import { guidePage } from './pages/guide.js';
import { homePage } from './pages/home.js';
import { referencePage } from './pages/reference.js';
import { searchResults } from './pages/search.js';

/** Nothing but our own files; "Try it" calls the API at this address. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The documentation for integrators: guides, reference, errors, search and the OpenAPI documents. */
export function createDocsSite(settings: {
  readonly publicUrl: string;
  readonly environment: 'test' | 'production';
}): PagesSurface {
  const { publicUrl } = settings;
  const documents = openApiDocuments(publicUrl);
  const canTry = settings.environment === 'test';
  const pages: DocsPage[] = [
    homePage,
    referencePage('partner', documents.partner, { canTry }),
    referencePage('merchant', documents.merchant, { canTry }),
    errorsPage([
      { title: 'Partner API', routes: partnerRoutes },
      { title: 'Merchant API', routes: merchantRoutes },
    ]),
    ...guides.map((guide) => guidePage(guide, publicUrl)),
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
  const assets = [...Object.values(ownAssets), ...Object.values(sharedAssets)];
  return {
    basePath: DOCS_PATH,
    async middleware(context, next) {
      context.set(HEADERS);
      if (publicUrl.startsWith('https:'))
        context.set('Strict-Transport-Security', 'max-age=31536000');
      if (['GET', 'HEAD'].includes(context.method) && answerAsset(context, assets)) return;
      await routes(context as Parameters<typeof routes>[0], next);
    },
    methodsOf: (path) => router.match(path, 'OPTIONS').path.flatMap((one) => one.methods),
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
