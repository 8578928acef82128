import { randomBytes } from 'node:crypto';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { hasBasicCredentials } from '../basic-credentials.ts';
import { give } from '../reply.ts';
import { readText } from '../request-body.ts';
import { errorReply } from './errors.ts';

const lifetimeSeconds = 3600;

/**
 * OAuth for the GSMA API: any key and secret that are not wrong get a token; an unknown or expired token is refused. A
 * request without a token is accepted, as at GSMA's base without OAuth, and so is one with HTTP Basic.
 */
export function createTokens(): { router: Router; guard: Middleware } {
  const expiries = new Map<string, number>();
  const router = new Router();

  router.post('/accesstoken', async (ctx) => {
    const form = new URLSearchParams(await readText(ctx));
    if (!hasBasicCredentials(ctx)) {
      return give(ctx, { status: 401, body: { error: 'invalid_client' } });
    }
    if (form.get('grant_type') !== 'client_credentials') {
      return give(ctx, { status: 400, body: { error: 'unsupported_grant_type' } });
    }
    const token = randomBytes(24).toString('base64url');
    expiries.set(token, Date.now() + lifetimeSeconds * 1000);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { access_token: token, token_type: 'Bearer', expires_in: String(lifetimeSeconds) };
  });

  const guard: Middleware = async (ctx, next) => {
    const header = ctx.get('Authorization');
    const token = header.replace(/^bearer /i, '');
    const isAccepted =
      header === '' || hasBasicCredentials(ctx) || (expiries.get(token) ?? 0) > Date.now();
    if (!isAccepted) return give(ctx, errorReply('notAuthorised'));
    await next();
  };
  return { router, guard };
}
