import Router, { type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { TooManyHashesError } from '../crypto/digests.ts';
import type { PasswordHashes } from '../crypto/password-hashes.ts';
import { methodsAt, type PagesSurface } from '../http/app.ts';
import { answerAsset } from '../http/files.ts';
import { setPageHeaders } from '../http/headers.ts';
import type { Services } from '../http/services.ts';
import { problems, writeAnswer } from './answers.ts';
import {
  forReader,
  type Language,
  languageOf,
  type Reader,
  readLanguage,
} from './language/language.ts';
import { assets } from './layout/assets.ts';
import type { AnySite, PageAnswer, PageTools } from './page.ts';
import { handlePage } from './pipeline.ts';
import { SessionEndedError } from './session/changes.ts';
import { cookieValues, createCookies } from './session/cookies.ts';

/** Pages contain keys and names: nothing caches them, not even the browser's history. */
const PRIVATE = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' };

/** The pages of a site under its base path, with the headers and problems that all of them have. */
export function createSite(
  site: AnySite,
  services: Services,
  passwords: PasswordHashes,
): PagesSurface {
  const { basePath } = site;
  const cookies = createCookies(services.settings.http.publicUrl, site);
  const tools: PageTools = { site, services, passwords, cookies };
  const router = new Router({ exclusive: true });
  for (const page of site.pages)
    router.register(basePath + page.path, [page.method], (context: RouterContext) =>
      handlePage(tools, site, page, context),
    );
  const routes = router.routes();
  const files = Object.values(assets);
  /** Until the person is known, who may have chosen others. */
  const readerOf = (context: Context): Reader => ({
    language: site.isForStaff ? 'en' : wantedLanguage(context, tools),
    zone: services.settings.market.marketTimeZone,
  });

  const middleware: Middleware = async (context, next) => {
    setPageHeaders(context, cookies.isSecure);
    context.set(PRIVATE);
    if (context.method === 'GET' && answerAsset(context, files)) return;
    const reader = readerOf(context);
    context.state.reader = reader;
    try {
      await forReader(reader, () => routes(context as RouterContext, next));
    } catch (error) {
      const answer = answerAfter(error);
      if (answer === undefined) throw error;
      if (answer === problems.busy) context.set('Retry-After', '5');
      forReader(reader, () => writeAnswer(context, tools, answer));
    }
  };
  return {
    basePath,
    middleware,
    methodsOf: (path) => methodsAt(router, path),
    answerRefusal: (context, refusal) =>
      forReader(context.state.reader ?? readerOf(context), () =>
        writeAnswer(context, tools, refusal),
      ),
  };
}

/** The answer that an error of a page stands for; undefined for a failure. */
function answerAfter(error: unknown): PageAnswer | undefined {
  if (error instanceof TooManyHashesError) return problems.busy;
  return error instanceof SessionEndedError ? error.answer : undefined;
}

/**
 * The language of a browser where no person is signed in, or the person has chosen none. It is that
 * of its cookie, else its own, else English. The link of the sign-in page chooses one.
 */
function wantedLanguage(context: Context, { cookies }: Pick<PageTools, 'cookies'>): Language {
  const chosen = readLanguage(new URLSearchParams(context.querystring).get('language'));
  if (chosen !== undefined) {
    context.append('Set-Cookie', cookies.language.set(chosen));
    return chosen;
  }
  const [known] = cookieValues(context.headers.cookie, cookies.language.name);
  return readLanguage(known) ?? languageOf(context.headers['accept-language']) ?? 'en';
}
