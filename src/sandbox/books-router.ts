import Router from '@koa/router';
import type { Context } from 'koa';
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
import {
  give,
  readJsonObject,
  rowOf,
  statusOf,
  type TakenRequest,
  type TakenStatus,
} from './requests.ts';

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
      const taken = find(ctx.params.reference ?? '', queryValue(ctx, 'provider'));
      const reply = await settleTaken(ctx, books, name, taken);
      give(ctx, reply);
      if (taken && reply.status === 200) void announce(taken, statusOf(taken));
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

/** A refused operation can be completed late and a completed one reversed, as real providers do. */
const nextStatuses: Partial<Record<TakenStatus, readonly TakenStatus[]>> = {
  pending: ['completed', 'failed'],
  failed: ['completed'],
  completed: ['reversed'],
  reversed: ['completed'],
};

/** Settles a payout or top-up, like a provider's support staff. */
async function settleTaken(
  ctx: Context,
  books: Books,
  name: string,
  taken: TakenRequest | undefined,
) {
  if (!ctx.is('json')) return problem(415, 'Send JSON.');
  const status = (await readJsonObject(ctx))?.status;
  if (status !== 'completed' && status !== 'failed' && status !== 'reversed') {
    return problem(400, 'The status must be completed, failed or reversed.');
  }
  if (!taken) return problem(404, `No ${name} has this reference.`);
  const current = statusOf(taken);
  const isPossible = nextStatuses[current]?.includes(status) ?? false;
  if (!isPossible) return problem(409, `The ${name} is already ${current}.`);
  books.settle(taken, status);
  return { status: 200, body: rowOf(taken) };
}

const problem = (status: number, message: string) => ({ status, body: { message } });

function queryValue(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() || undefined;
}
