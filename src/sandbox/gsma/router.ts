import Router from '@koa/router';
import type { Books, Payout } from '../books.ts';
import { give } from '../reply.ts';
import { createTokens } from './access-token.ts';
import { requestStateOf, transactionOf } from './answers.ts';
import { createPayout, type GsmaParts } from './create-payout.ts';
import { createReversal } from './create-reversal.ts';
import { errorReply } from './errors.ts';
import { listTransactions } from './list-transactions.ts';
import { payeeAccountRouter } from './payee-account.ts';

/** Below the path that the GSMA API is mounted on. */
export const gsmaPaths = { api: '/v1.2/mm', token: '/oauth/accesstoken' };

/** GSMA Mobile Money API 1.2.0 (providers.md 3.1): payouts, their outcomes and reversals, and OAuth. */
export function gsmaRouter(parts: GsmaParts): Router {
  const { books } = parts;
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
    give(ctx, isPayout ? await createPayout(ctx, parts) : errorReply('transactionType'));
  });
  api.post('/transactions/:reference/reversals', async (ctx) => {
    give(ctx, await createReversal(ctx, parts));
  });
  const find = (key: Parameters<Books['findPayout']>[0], value = '') =>
    books.findPayout(key, value, 'gsma') ?? books.findReversal(key, value, 'gsma');
  api.get('/transactions/:reference', (ctx) => {
    const payout = find('transactionReference', ctx.params.reference);
    give(ctx, payout ? { status: 200, body: transactionOf(payout) } : errorReply('notFound'));
  });
  api.get('/accounts/:identifierType/:identifier/transactions', (ctx) => {
    give(ctx, listTransactions(ctx, books));
  });
  api.get('/accounts/:identifierType/:identifier/balance', (ctx) => {
    const balance = (books.balances.get('gsma') ?? 1_000_000).toFixed(2);
    ctx.body = {
      ...{ currentBalance: balance, availableBalance: balance, reservedBalance: '0.00' },
      ...{ unclearedBalance: '0.00', currency: 'ETB', accountStatus: 'available' },
    };
  });
  api.use(payeeAccountRouter().routes());
  api.get('/requeststates/:id', (ctx) => {
    const payout = find('serverCorrelationId', ctx.params.id);
    give(ctx, payout ? { status: 200, body: requestStateOf(payout) } : errorReply('notFound'));
  });
  api.get('/responses/:correlationId', (ctx) => {
    const payout = find('correlationId', ctx.params.correlationId);
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
