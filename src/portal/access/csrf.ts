import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a POST came from a page of this portal, as far as the browser says. `Sec-Fetch-Site` and
 * `Origin` cannot be set by pages; a client that sends neither is no browser with somebody else's
 * page in it, and still needs the form's token.
 */
export function isFromHere(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined) return true;
  // Behind a proxy that changes Host, the public address is the right one; else Host is.
  return origin === new URL(publicUrl).origin || hostOf(origin) === host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Whether the token of a form belongs to the cookie that came with it. */
export function isSameToken(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
