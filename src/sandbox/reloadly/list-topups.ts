import type { Context } from 'koa';
import { momentOf } from '../../domain/local-time.ts';
import type { Books } from '../books.ts';
import type { SandboxReply } from '../reply.ts';
import { listedTopups } from '../statements/provider-lists.ts';
import { errorReply } from './errors.ts';
import { ACCOUNT_ZONE } from './operators.ts';
import { topupAnswer } from './topup.ts';

const longestPage = 200;

/**
 * `GET /topups/reports/transactions`: by custom identifier in any case, or of a time; pages are
 * numbered from 1, newest first.
 */
export function listTopups(ctx: Context, books: Books): SandboxReply {
  const { customIdentifier, startDate, endDate } = ctx.query;
  const [begin, end] = [timeOf(startDate, 0), timeOf(endDate, Number.MAX_SAFE_INTEGER)];
  if (Number.isNaN(begin) || Number.isNaN(end)) return errorReply(ctx, 'INVALID_REQUEST');
  const all =
    customIdentifier === undefined ? listedTopups(books, 'reloadly') : books.allTopups('reloadly');
  const found = all
    .filter(
      ({ reference }) =>
        customIdentifier === undefined ||
        reference.toLowerCase() === String(customIdentifier).toLowerCase(),
    )
    .filter(({ takenAt }) => takenAt.getTime() >= begin && takenAt.getTime() <= end);
  const size = Math.min(numberOf(ctx.query.size, longestPage), longestPage);
  const page = numberOf(ctx.query.page, 1);
  return {
    status: 200,
    body: {
      content: found.slice((page - 1) * size, page * size).map((topup) => topupAnswer(topup)),
      totalElements: found.length,
      totalPages: Math.ceil(found.length / size),
      size,
      number: page,
    },
  };
}

/** `2021-12-06 08:13:39`, in the zone of the provider. */
const timeOf = (value: unknown, otherwise: number): number =>
  value === undefined
    ? otherwise
    : (momentOf(String(value), ACCOUNT_ZONE)?.getTime() ?? Number.NaN);

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : otherwise;
