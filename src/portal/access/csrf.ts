import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a POST came from a page of this portal, according to the browser. Pages cannot set
 * `Sec-Fetch-Site` and `Origin`. A client that sends neither is not a browser with a foreign page,
 * and it still needs the form token.
 */
export function isFromHere(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined) return true;
  // Behind a proxy that changes Host, the public address counts; otherwise Host.
  return origin === new URL(publicUrl).origin || hostOf(origin) === host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
