import type { Context, Middleware } from 'koa';
import { messageOf, type Reason, statusCodeOf } from '../domain/refusals.ts';

/** Only our own files, no inline script, no frames. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of pages and of answers of the API. */
const COMMON_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

const PAGE_HEADERS = {
  ...COMMON_HEADERS,
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  // With "no-referrer" browsers would send forms with the origin "null".
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const;

const ANSWER_HEADERS = {
  ...COMMON_HEADERS,
  'Content-Security-Policy':
    "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Origin-Agent-Cluster': '?1',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
} as const;

/** Gives a page that refuses a request its status; returns its title. */
export function titleOfRefusal(context: Context, reason: Reason): string {
  context.status = statusCodeOf(reason, 'partner');
  context.state.statusCode = context.status;
  return reason === 'route-not-found' ? 'There is no such page' : messageOf(reason);
}

/** Sets the browser policy of our pages; `isSecure` keeps browsers on HTTPS. */
export function setPageHeaders(context: Context, isSecure: boolean): void {
  context.set(PAGE_HEADERS);
  if (isSecure) context.set('Strict-Transport-Security', 'max-age=31536000');
}

/** Lets the scripts of a page call the API, which has the same address. */
export const allowCalls = (context: Context): void =>
  context.set('Content-Security-Policy', `${CONTENT_SECURITY_POLICY}; connect-src 'self'`);

/**
 * Sets the browser policy of API answers: they are data, so a browser never executes them, frames
 * them or guesses their type.
 */
export function securityHeaders({ isSecure }: { readonly isSecure: boolean }): Middleware {
  const headers = {
    ...ANSWER_HEADERS,
    // Over plain HTTP browsers ignore it, and a test on localhost would affect other ports.
    ...(isSecure && { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }),
  };
  return (context, next) => {
    context.set(headers);
    return next();
  };
}
