import type { Context } from 'koa';
import type { Books } from '../books.ts';
import type { SandboxReply } from '../reply.ts';
import { listedTopups } from '../statements/provider-lists.ts';
import { errorReply } from './errors.ts';
import { pageOf } from './paging.ts';
import { transactionOf } from './transaction.ts';

const dayMilliseconds = 24 * 3_600_000;

/**
 * `GET /transactions`: by external id without a time limit, otherwise a range of at most 24 hours,
 * by default the last 24 (providers.md 3.2).
 */
export function listTransactions(ctx: Context, books: Books): SandboxReply {
  const { external_id: externalId, from_date: from, to_date: to } = ctx.query;
  if (typeof externalId === 'string') {
    const topup = books.findTopup('reference', externalId, 'dt-one');
    return { status: 200, body: pageOf(ctx, topup ? [transactionOf(topup)] : []) };
  }
  const end = to === undefined ? Date.now() : Date.parse(String(to));
  const begin = from === undefined ? end - dayMilliseconds : Date.parse(String(from));
  const isWindow = end - begin >= 0 && end - begin <= dayMilliseconds;
  if (!isWindow) return errorReply('badRequest', 'from_date, to_date');
  const topups = listedTopups(books, 'dt-one').filter(
    ({ takenAt }) => takenAt.getTime() >= begin && takenAt.getTime() <= end,
  );
  return { status: 200, body: pageOf(ctx, topups).map((topup) => transactionOf(topup)) };
}
