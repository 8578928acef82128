import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
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

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With "no-referrer" browsers would send forms with the origin "null".
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};

/** Gives a page that refuses a request its status; returns its title. */
export function titleOfRefusal(context: Context, reason: Reason): string {
  context.status = statusCodeOf(reason, 'partner');
  context.state.statusCode = context.status;
  return reason === 'route-not-found' ? 'There is no such page' : messageOf(reason);
}

/** Sets the browser policy of our pages; `isSecure` keeps browsers on HTTPS. */
export function setPageHeaders(context: Context, isSecure: boolean): void {
  context.set(HEADERS);
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
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    // Over plain HTTP browsers ignore it, and a test on localhost would affect other ports.
    strictTransportSecurity: isSecure,
  });
  const headers = headersThat(setHeaders);
  return (context, next) => {
    for (const [name, value] of headers) context.res.setHeader(name, value);
    return next();
  };
}

/** The headers are constant, so Helmet runs once. */
function headersThat(setHeaders: ReturnType<typeof helmet>): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => {},
  };
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}
