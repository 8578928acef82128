import Router from '@koa/router';
import type { Context } from 'koa';
import type { Config } from '../config/config.ts';
import type { Surface } from '../domain/refusals.ts';
import { methodsAt, type PagesSurface } from '../http/app.ts';
import { answerAsset, type PublicDocument, routeDocuments } from '../http/files.ts';
import { allowCalls, setPageHeaders, titleOfRefusal } from '../http/headers.ts';
import { once } from '../http/once.ts';
import { merchantRoutes } from '../merchant/routes.ts';
import { endpointGroups, openApiDocuments, servedDocuments } from '../openapi/both-documents.ts';
import { withoutReferences } from '../openapi/schemas.ts';
import { partnerRoutes } from '../partner/routes.ts';
import { type Html, html } from '../rendering/html.ts';
import { downloads, downloadsPage } from './downloads.ts';
import { importedAssets, layout, ownAssets, sharedAssets, TITLE } from './layout.ts';
import { guides } from './markdown.ts';
import { DOCS_PATH, type DocsPage, markdownPath } from './page.ts';
import { changelogPage, guidePage } from './pages/guides.ts';
import { homePage } from './pages/home.ts';
import { errorsPage, indexPath, operationPage, referenceIndex } from './pages/reference.ts';
import { searchResults } from './pages/try-it.ts';

type SiteSettings = Pick<Config, 'process' | 'http'>;

/** The pages of the site under what they belong to. */
interface PageGroup {
  readonly title: string;
  readonly pages: readonly DocsPage[];
}

/** Every page, in the order of the menu. */
function allPages(settings: SiteSettings): PageGroup[] {
  return [
    { title: 'Begin', pages: [homePage] },
    { title: 'Guides', pages: guides().map((guide) => guidePage(guide, settings.http)) },
    { title: 'Partner API', pages: reference('partner', settings) },
    { title: 'Merchant API', pages: reference('merchant', settings) },
    { title: 'Further', pages: [errors, downloadsPage, changelogPage] },
  ];
}

const errors = errorsPage([partnerRoutes, merchantRoutes]);

function reference(
  surface: Surface,
  { http: { publicUrl }, process: { environment } }: SiteSettings,
): DocsPage[] {
  const document = once(() => withoutReferences(openApiDocuments(publicUrl)[surface]));
  const canTry = environment === 'test';
  return [
    referenceIndex(surface, document),
    ...endpointGroups(surface).flatMap(({ endpoints }) =>
      endpoints.map((endpoint) => operationPage(surface, endpoint, { document, canTry })),
    ),
  ];
}

/**
 * The documentation for integrators: guides, reference, errors, downloads, search and the OpenAPI documents.
 * Nothing of it is made before its first request, so that a process starts without it.
 */
export function createDocsSite(settings: SiteSettings): PagesSurface {
  const { publicUrl } = settings.http;
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
      const title = titleOfRefusal(context, reason);
      const content = html`<h1>${title}</h1><p>The menu and the search lead on.</p>`;
      writePage(context, { title, content });
    },
  };
}

function routerOf(settings: SiteSettings): Router {
  const pages = allPages(settings).flatMap((group) => group.pages);
  const router = new Router({ exclusive: true });
  routeDocuments(router, [
    ...servedDocuments(settings.http.publicUrl),
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

/** `/llms.txt`: every page as Markdown, for programs that read for people (llmstxt.org). */
export const llmsText = (settings: SiteSettings): PublicDocument => ({
  path: '/llms.txt',
  type: 'text/plain; charset=utf-8',
  body: () =>
    [
      `# ${TITLE}`,
      '> Partners sell gift vouchers, airtime and packages; merchants redeem vouchers and are paid by mobile money.',
      ...allPages(settings).map(
        ({ title, pages }) =>
          `## ${title}\n\n${pages
            .map(
              (page) =>
                `- [${page.title}](${settings.http.publicUrl}${markdownPath(page)}): ${page.summary}`,
            )
            .join('\n')}`,
      ),
      '',
    ].join('\n\n'),
});
