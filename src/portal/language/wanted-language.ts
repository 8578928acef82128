import type { Context } from 'koa';
import type { PortalTools } from '../page.ts';
import { type Language, languageOf, readLanguage } from './language.ts';

/**
 * The language that a browser wants where nobody is signed in, or the person has chosen none: that of
 * its cookie, else its own, else English. The link of the sign-in page chooses one.
 */
export function wantedLanguage(
  context: Context,
  { cookies }: Pick<PortalTools, 'cookies'>,
): Language {
  const chosen = readLanguage(new URLSearchParams(context.querystring).get('language'));
  if (chosen !== undefined) {
    context.append('Set-Cookie', cookies.language.set(chosen));
    return chosen;
  }
  const { name } = cookies.language;
  const pairs = (context.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const known = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return readLanguage(known) ?? languageOf(context.headers['accept-language']) ?? 'en';
}
