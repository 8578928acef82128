import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Middleware } from 'koa';

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
