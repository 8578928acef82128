import { randomBytes } from 'node:crypto';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { hasBasicCredentials } from '../basic-credentials.ts';
import { give } from '../reply.ts';
import { errorReply } from './errors.ts';
import { createPayment, type MpesaParts, queryStatus } from './payments.ts';

const lifetimeSeconds = 3_599;

/** M-Pesa Daraja (providers.md 3.1b): tokens, B2C payments and status queries. */
export function mpesaRouter(parts: MpesaParts): Router {
  const tokens = new Map<string, number>();
  const router = new Router();
  // Kenya's path, and Ethiopia's.
  router.get(['/oauth/v1/generate', '/v1/token/generate'], (ctx) => {
    if (!hasBasicCredentials(ctx)) return give(ctx, errorReply('credentials'));
    if (ctx.query.grant_type !== 'client_credentials') return give(ctx, errorReply('grantType'));
    const token = randomBytes(20).toString('base64url');
    tokens.set(token, Date.now() + lifetimeSeconds * 1_000);
    ctx.body = { access_token: token, expires_in: String(lifetimeSeconds) };
  });

  const requireToken: Middleware = async (ctx, next) => {
    const token = ctx.get('Authorization').replace(/^bearer /i, '');
    if ((tokens.get(token) ?? 0) <= Date.now()) return give(ctx, errorReply('invalidToken'));
    await next();
  };
  router.post('/mpesa/b2c/:version/paymentrequest', requireToken, async (ctx) => {
    give(ctx, await createPayment(ctx, parts));
  });
  router.post('/mpesa/transactionstatus/v1/query', requireToken, async (ctx) => {
    give(ctx, await queryStatus(ctx, parts));
  });
  return router;
}
