import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Books, Payout, Topup } from './books.ts';
import type { Announce } from './callbacks.ts';
import type { Faults } from './faults.ts';
import {
  answerActivityPage,
  answerAttachment,
  answerIndexPage,
  answerMailboxPage,
  answerPhonePage,
  type SandboxAddresses,
} from './pages.ts';
import { problem, readRequest, rowOf, statusOf, type TakenStatus } from './requests.ts';

interface Parts {
  readonly books: Books;
  readonly faults: Faults;
  readonly announce: Announce;
}

/**
 * The pages for people and tests: the books, the phone, the mailbox and the first page.
 */
export function booksRouter(parts: Parts, addresses: SandboxAddresses): Router {
  const { books, announce, faults } = parts;
  const router = new Router();
  router.get('/', (ctx) => answerIndexPage(ctx, addresses, faults));
  router.get('/activity', (ctx) => answerActivityPage(ctx, books));
  router.get('/phone', (ctx) => answerPhonePage(ctx, books, queryValue(ctx, 'to')));
  router.get('/messages', (ctx) => {
    ctx.body = books.messages(queryValue(ctx, 'to'));
  });
  router.get('/mailbox', (ctx) => answerMailboxPage(ctx, books, queryValue(ctx, 'to')));
  router.get('/mails', (ctx) => {
    ctx.body = books.mails(queryValue(ctx, 'to'));
  });

  router.get('/mails/:id/files/:place', (ctx) => {
    const mail = books.mails().find(({ id }) => id === ctx.params.id);
    answerAttachment(ctx, mail?.attachments[Number(ctx.params.place)]);
  });

  router.get('/books', (ctx) => {
    const reference = queryValue(ctx, 'reference');
    const to = queryValue(ctx, 'to');
    const filter = { reference, to, provider: queryValue(ctx, 'provider') };
    ctx.body = {
      payouts: books.payouts(filter),
      reversals: books.reversals(filter),
      topups: books.topups(filter),
      // A message has no reference of ours.
      messages: reference === undefined ? books.messages(to) : [],
    };
  });

  const settles = (
    path: string,
    name: string,
    find: (reference: string, provider?: string) => Payout | Topup | undefined,
  ) =>
    router.post(`/books/${path}/:reference`, async (ctx) => {
      if (!ctx.is('json')) return problem(ctx, 415, 'Send JSON.');
      const { request } = await readRequest(ctx, settlementSchema);
      if (!request) return problem(ctx, 400, 'The status must be completed, failed or reversed.');
      const taken = find(ctx.params.reference ?? '', queryValue(ctx, 'provider'));
      if (!taken) return problem(ctx, 404, `No ${name} has this reference.`);
      const { status } = request;
      const current = statusOf(taken);
      if (!nextStatuses[current].includes(status))
        return problem(ctx, 409, `The ${name} is already ${current}.`);
      books.settle(taken, status);
      ctx.body = rowOf(taken);
      void announce(taken, status);
    });
  settles('payouts', 'payout', (reference, provider) =>
    books.findPayout('reference', reference, provider),
  );
  settles('reversals', 'reversal', (reference, provider) =>
    books.findReversal('reference', reference, provider),
  );
  settles('topups', 'top-up', (reference, provider) => books.findTopup({ reference, provider }));
  return router;
}

/** What a provider's support staff say of a payout or a top-up. */
const settlementSchema = z.object({ status: z.enum(['completed', 'failed', 'reversed']) });

/** A refused operation can be completed late and a completed one reversed, as real providers do. */
const nextStatuses: Readonly<Record<TakenStatus, readonly TakenStatus[]>> = {
  pending: ['completed', 'failed'],
  failed: ['completed'],
  completed: ['reversed'],
  reversed: ['completed'],
};

function queryValue(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() || undefined;
}
