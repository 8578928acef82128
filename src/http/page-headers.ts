import type { Context } from 'koa';

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

/** Sets the browser policy of our pages; `isSecure` keeps browsers on HTTPS. */
export function setPageHeaders(context: Context, isSecure: boolean): void {
  context.set(HEADERS);
  if (isSecure) context.set('Strict-Transport-Security', 'max-age=31536000');
}

/** Lets the scripts of a page call the API, which has the same address. */
export const allowCalls = (context: Context): void =>
  context.set('Content-Security-Policy', `${CONTENT_SECURITY_POLICY}; connect-src 'self'`);
