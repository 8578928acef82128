import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { operatorOf } from '../../domain/operator.ts';
import { hasBasicCredentials } from '../basic-credentials.ts';
import { isE164 } from '../phone-number.ts';
import { give, type SandboxReply } from '../reply.ts';
import { readJsonObject } from '../request-body.ts';
import { createTransaction, type DtOneParts } from './create-transaction.ts';
import { errorReply } from './errors.ts';
import { listTransactions } from './list-transactions.ts';
import { pageOf } from './paging.ts';
import { operatorAnswer, operatorAnswers, productAnswer, products } from './products.ts';
import { transactionOf } from './transaction.ts';

/** Below the path that DT One is mounted on. */
export const dtOnePath = '/v1';

/** The sandbox limits no caller, except by the scenario for it; clients can read the headers. */
const requestsPerSecond = 100;

/** DT One DVS v1 (providers.md 3.2): airtime and packages, and their outcomes. */
export function dtOneRouter(parts: DtOneParts): Router {
  const { books } = parts;
  const api = new Router();
  api.use(async (ctx, next) => {
    ctx.set('X-Ratelimit-Limit', String(requestsPerSecond));
    ctx.set('X-Ratelimit-Remaining', String(requestsPerSecond - 1));
    await next();
  });
  api.use(requireKey);

  api.post('/async/transactions', async (ctx) => {
    give(ctx, await createTransaction(ctx, { isSynchronous: false }, parts));
  });
  api.post('/sync/transactions', async (ctx) => {
    give(ctx, await createTransaction(ctx, { isSynchronous: true }, parts));
  });
  api.get('/transactions', (ctx) => give(ctx, listTransactions(ctx, books)));
  api.get('/transactions/:id', (ctx) => {
    const topup = books.findTopup('transactionId', ctx.params.id ?? '', 'dt-one');
    const reply = topup && { status: 200, body: transactionOf(topup) };
    give(ctx, reply ?? errorReply('transactionNotFound'));
  });
  api.get('/balances', (ctx) => {
    const available = books.balances.get('dt-one') ?? 1_000_000;
    ctx.body = [{ id: 1, unit_type: 'CURRENCY', unit: 'USD', available, holding: 0 }];
  });
  api.get('/products', (ctx) => {
    ctx.body = pageOf(ctx, products).map((product) => productAnswer(product));
  });
  api.get('/operators', (ctx) => {
    ctx.body = pageOf(ctx, operatorAnswers());
  });
  api.post('/lookup/mobile-number', async (ctx) => give(ctx, await lookUpNumber(ctx)));

  const router = new Router();
  router.use(dtOnePath, api.routes());
  return router;
}

const requireKey: Middleware = async (ctx, next) => {
  if (!hasBasicCredentials(ctx)) return give(ctx, errorReply('unauthorised'));
  await next();
};

async function lookUpNumber(ctx: Context): Promise<SandboxReply> {
  const number = (await readJsonObject(ctx))?.mobile_number;
  if (typeof number !== 'string' || !isE164(number)) return errorReply('numberInvalid');
  const operator = operatorOf(number);
  return {
    status: 200,
    body: operator ? [{ ...operatorAnswer(operator), identified: true }] : [],
  };
}
