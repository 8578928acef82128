import type { Context } from 'koa';

/** Nothing but the portal's own files, no script in a page, and no frame around it. */
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
  // Pages hold keys and names: no cache keeps them, not even the browser's way back.
  'Cache-Control': 'no-store',
};

/** Says what browsers may do with an answer of the portal. */
export function setSecurityHeaders(context: Context, isSecure: boolean): void {
  context.set(headers);
  if (isSecure) context.set('Strict-Transport-Security', 'max-age=31536000');
}
