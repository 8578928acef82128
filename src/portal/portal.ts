import Router, { type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { TooManyHashesError } from '../crypto/hash-turns.js';
import { createPasswordHashes } from '../crypto/password-hashes.js';
import type { PagesSurface } from '../http/app.js';
import { answerAsset } from '../http/files/static-assets.js';
import { methodsAt } from '../http/methods-at.js';
import { setPageHeaders } from '../http/page-headers.js';
import type { Services } from '../http/services.js';
import { createCookies } from './access/cookies.js';
import { assets } from './assets.js';
import { handlePage } from './handle-page.js';
import { inLanguage } from './language/language.js';
import { wantedLanguage } from './language/wanted-language.js';
import { PORTAL_PATH, type PortalSettings, type PortalTools } from './page.js';
import { problems, writeProblem, writeRefusal } from './problem-page.js';
import { pages } from './routes.js';
import { inTimeZone } from './time-zone.js';
import { viewOf } from './view.js';

/** Pages contain keys and names: nothing caches them, not even the browser's history. */
const PRIVATE = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' };

/** The portal for people of partners and merchants (specification 5). */
export function createPortal(services: Services, settings: PortalSettings): PagesSurface {
  const tools: PortalTools = {
    services,
    settings,
    passwords: createPasswordHashes(settings.passwordCost, settings.passwordThreads),
    cookies: createCookies(services.settings.publicUrl),
  };
  const router = new Router({ exclusive: true });
  for (const page of pages)
    router.register(PORTAL_PATH + page.path, [page.method], (context: RouterContext) =>
      handlePage(tools, page, context),
    );
  const routes = router.routes();
  const files = Object.values(assets);

  const middleware: Middleware = async (context, next) => {
    setPageHeaders(context, tools.cookies.isSecure);
    context.set(PRIVATE);
    if (context.method === 'GET' && answerAsset(context, files)) return;
    try {
      await inLanguage(wantedLanguage(context, tools), () =>
        routes(context as RouterContext, next),
      );
    } catch (error) {
      if (!(error instanceof TooManyHashesError)) throw error;
      context.set('Retry-After', '5');
      writeProblem(context, tools, problems.busy);
    }
  };
  return {
    basePath: PORTAL_PATH,
    middleware,
    methodsOf: (path) => methodsAt(router, path),
    answerRefusal: (context, refusal) =>
      inTimeZone(viewOf(context)?.session.timeZone ?? settings.marketTimeZone, () =>
        writeRefusal(context, tools, refusal),
      ),
  };
}
