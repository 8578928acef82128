import type { Context } from 'koa';

/** Only the portal's own files, no inline script, no frames. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With "no-referrer" browsers would send forms with the origin "null".
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'X-Robots-Tag': 'noindex',
  // Pages contain keys and names: nothing caches them, not even the browser's history.
  'Cache-Control': 'no-store',
};

/** Sets the browser policy of the portal's answers. */
export function setSecurityHeaders(context: Context, isSecure: boolean): void {
  context.set(headers);
  if (isSecure) context.set('Strict-Transport-Security', 'max-age=31536000');
}
