import Router from '@koa/router';
import type { Context } from 'koa';
import type { Books, Payout, Topup } from './books.ts';
import type { Callbacks } from './callbacks.ts';
import type { Faults } from './faults.ts';
import type { MpesaCallbacks } from './mpesa.ts';
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
  readonly topupCallbacks: Readonly<Record<string, Callbacks<Topup>>>;
  readonly faults: Faults;
  readonly payoutCallbacks: Callbacks<Payout>;
  readonly mpesaCallbacks: MpesaCallbacks;
}

/**
 * The pages for people and tests: the books, the phone, the mailbox and the first page.
 */
export function booksRouter(parts: Parts, addresses: SandboxAddresses): Router {
  const { books, topupCallbacks, payoutCallbacks, mpesaCallbacks, faults } = parts;
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

  router.post('/books/payouts/:reference', async (ctx) => {
    const payout = books.findPayout('reference', ctx.params.reference ?? '', ofProvider(ctx));
    const reply = await settleTaken(ctx, books, 'payout', payout);
    give(ctx, reply);
    if (!payout || reply.status !== 200) return;
    const told = payout.provider === 'mpesa' ? mpesaCallbacks : payoutCallbacks;
    void told.announce(payout, statusOf(payout));
  });
  router.post('/books/reversals/:reference', async (ctx) => {
    const reversal = books.findReversal('reference', ctx.params.reference ?? '', ofProvider(ctx));
    const reply = await settleTaken(ctx, books, 'reversal', reversal);
    if (reversal && reply.status === 200 && statusOf(reversal) === 'completed')
      books.settle(reversal.original, 'reversed');
    give(ctx, reply);
    if (reversal && reply.status === 200)
      void payoutCallbacks.announce(reversal, statusOf(reversal));
  });
  router.post('/books/topups/:reference', async (ctx) => {
    const { reference = '' } = ctx.params;
    const topup = books.findTopup({ reference, provider: ofProvider(ctx) });
    const reply = await settleTaken(ctx, books, 'top-up', topup);
    give(ctx, reply);
    if (topup && reply.status === 200)
      void topupCallbacks[topup.provider]?.announce(topup, statusOf(topup));
  });
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

const ofProvider = (ctx: Context) => queryValue(ctx, 'provider');

function queryValue(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() || undefined;
}
