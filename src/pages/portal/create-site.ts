import Router, { type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { TooManyHashesError } from '../../crypto/digests.ts';
import type { PagesSurface } from '../../http/app.ts';
import { methodsAt } from '../../http/app.ts';
import { answerAsset } from '../../http/files.ts';
import { setPageHeaders } from '../../http/headers.ts';
import { inLanguage, type Language } from '../language/language.ts';
import type { PageRoute, PortalTools } from '../page.ts';
import { inTimeZone } from '../session/preferences.ts';
import { assets } from './assets.ts';
import { problems, writeProblem, writeRefusal } from './problem-page.ts';

/** Pages contain keys and names: nothing caches them, not even the browser's history. */
const PRIVATE = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' };

/** The pages of a site under its base path, with the headers and problems that all of them have. */
export function createSite<Page extends PageRoute>(
  tools: PortalTools,
  site: {
    readonly pages: readonly Page[];
    readonly handle: (tools: PortalTools, page: Page, context: RouterContext) => Promise<void>;
    /** The language where nobody is signed in, or the person has chosen none. */
    readonly languageOf: (context: Context) => Language;
    /** The time zone of the signed-in person; the market's by default. */
    readonly zoneOf: (context: Context) => string | null | undefined;
  },
): PagesSurface {
  const { basePath } = tools.site;
  const router = new Router({ exclusive: true });
  for (const page of site.pages)
    router.register(basePath + page.path, [page.method], (context: RouterContext) =>
      site.handle(tools, page, context),
    );
  const routes = router.routes();
  const files = Object.values(assets);

  const middleware: Middleware = async (context, next) => {
    setPageHeaders(context, tools.cookies.isSecure);
    context.set(PRIVATE);
    if (context.method === 'GET' && answerAsset(context, files)) return;
    try {
      await inLanguage(site.languageOf(context), () => routes(context as RouterContext, next));
    } catch (error) {
      if (!(error instanceof TooManyHashesError)) throw error;
      context.set('Retry-After', '5');
      writeProblem(context, tools, problems.busy);
    }
  };
  return {
    basePath,
    middleware,
    methodsOf: (path) => methodsAt(router, path),
    answerRefusal: (context, refusal) =>
      inTimeZone(site.zoneOf(context) ?? tools.services.settings.market.marketTimeZone, () =>
        writeRefusal(context, tools, refusal),
      ),
  };
}
