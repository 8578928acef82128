import Router from '@koa/router';
import type { Books, Payout } from '../books.js';
import type { Waiting } from '../delays.js';
import { give } from '../reply.js';
import { createTokens } from './access-token.js';
import { requestStateOf, transactionOf } from './answers.js';
import { createPayout } from './create-payout.js';
import { errorReply } from './errors.js';

/** Below the path that the GSMA API is mounted on. */
export const gsmaPaths = { api: '/v1.2/mm', token: '/oauth/accesstoken' };

/** GSMA Mobile Money API 1.2.0 (providers.md 3.1): payouts, their outcomes, and OAuth. */
export function gsmaRouter(books: Books, waiting: Waiting): Router {
  const tokens = createTokens();
  const api = new Router();
  api.use(async (ctx, next) => {
    ctx.set('X-Date', new Date().toISOString());
    await next();
  });
  api.use(tokens.guard);

  api.get('/heartbeat', (ctx) => {
    ctx.body = { serviceStatus: 'available', delay: 0 };
  });
  api.post('/transactions/type/:type', async (ctx) => {
    const isPayout = ctx.params.type === 'disbursement';
    give(ctx, isPayout ? await createPayout(ctx, books, waiting) : errorReply('transactionType'));
  });
  api.get('/transactions/:reference', (ctx) => {
    const payout = books.findPayout('transactionReference', ctx.params.reference ?? '');
    give(ctx, payout ? { status: 200, body: transactionOf(payout) } : errorReply('notFound'));
  });
  api.get('/requeststates/:id', (ctx) => {
    const payout = books.findPayout('serverCorrelationId', ctx.params.id ?? '');
    give(ctx, payout ? { status: 200, body: requestStateOf(payout) } : errorReply('notFound'));
  });
  api.get('/responses/:correlationId', (ctx) => {
    const payout = books.findPayout('correlationId', ctx.params.correlationId ?? '');
    const base = ctx.href.slice(0, ctx.href.lastIndexOf('/responses/'));
    const reply = payout && { status: 200, body: { link: `${base}/${resourceOf(payout)}` } };
    give(ctx, reply ?? errorReply('notFound'));
  });

  const router = new Router();
  router.use(gsmaPaths.api, api.routes());
  router.use('/oauth', tokens.router.routes());
  return router;
}

const resourceOf = (payout: Payout) =>
  payout.isAsynchronous
    ? `requeststates/${payout.serverCorrelationId}`
    : `transactions/${payout.transactionReference}`;
