import type { Context } from 'koa';

/** Whether a key, secret or password is one that no provider accepts. Any other value is accepted. */
export const isWrongKey = (key: string): boolean => key.trim() === '' || key.startsWith('wrong');

/** Whether the request has a key and a secret in HTTP Basic that are accepted. */
export function hasBasicCredentials(ctx: Context): boolean {
  const [scheme = '', encoded = ''] = ctx.get('Authorization').split(' ');
  const [, key = '', secret = ''] =
    /^([^:]+):(.+)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return scheme.toLowerCase() === 'basic' && !isWrongKey(key) && !isWrongKey(secret);
}
