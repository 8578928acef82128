import type { Context } from 'koa';

/** Whether the request has a key and a secret in HTTP Basic; any values are accepted. */
export function hasBasicCredentials(ctx: Context): boolean {
  const [scheme = '', encoded = ''] = ctx.get('Authorization').split(' ');
  const credentials = Buffer.from(encoded, 'base64').toString();
  return scheme.toLowerCase() === 'basic' && /^[^:]+:.+$/.test(credentials);
}
