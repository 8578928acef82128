import helmet from 'helmet';
import type { Middleware } from 'koa';

/**
 * Says what browsers may do with the answers of the APIs: nothing. They are data for programs, so
 * that nothing in them is ever run, framed or guessed the type of.
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
    // Over plain HTTP browsers ignore it, and a test on localhost would bind other ports.
    strictTransportSecurity: isSecure,
  });
  return async (context, next) => {
    setHeaders(context.req, context.res, (error) => {
      if (error) throw error;
    });
    await next();
  };
}
