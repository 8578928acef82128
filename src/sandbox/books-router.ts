import Router from '@koa/router';
import type { Context } from 'koa';
import { type Books, rowOf, statusOf } from './books.js';
import { answerIndexPage, type SandboxAddresses } from './pages/index-page.js';
import { answerPhonePage } from './pages/phone-page.js';
import { give, type Reply } from './reply.js';
import { readJsonObject } from './request-body.js';

/** What people and tests read: the books, the phone and the first page (design 2). */
export function booksRouter(books: Books, addresses: SandboxAddresses): Router {
  const router = new Router();
  router.get('/', (ctx) => answerIndexPage(ctx, addresses));
  router.get('/phone', (ctx) => answerPhonePage(ctx, books, queryValue(ctx, 'to')));

  router.get('/messages', (ctx) => {
    const to = queryValue(ctx, 'to');
    if (ctx.accepts('json', 'html') === 'html') return answerPhonePage(ctx, books, to);
    ctx.body = books.messages(to);
  });

  router.get('/books', (ctx) => {
    const reference = queryValue(ctx, 'reference');
    const to = queryValue(ctx, 'to');
    ctx.body = {
      payouts: books.payouts({ reference, to }),
      topups: [],
      // A message carries no reference of ours.
      messages: reference === undefined ? books.messages(to) : [],
    };
  });

  router.post('/books/payouts/:reference', async (ctx) => {
    if (!ctx.is('json')) return give(ctx, problem(415, 'Send JSON.'));
    const status = (await readJsonObject(ctx))?.status;
    give(ctx, settle(books, ctx.params.reference ?? '', status));
  });
  return router;
}

/** Decides a pending payout, as a provider's support staff would. */
function settle(books: Books, reference: string, status: unknown): Reply {
  if (status !== 'completed' && status !== 'failed') {
    return problem(400, 'The status must be completed or failed.');
  }
  const payout = books.findPayout('reference', reference);
  if (!payout) return problem(404, 'No payout has this reference.');
  const current = statusOf(payout);
  if (current !== 'pending') return problem(409, `The payout is ${current} already.`);
  payout.statuses.push({ status, from: new Date() });
  return { status: 200, body: rowOf(payout) };
}

const problem = (status: number, message: string): Reply => ({ status, body: { message } });

function queryValue(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() || undefined;
}
