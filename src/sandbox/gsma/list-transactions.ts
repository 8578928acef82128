import type { Context } from 'koa';
import { statusOf, type TakenRequest } from '../accepted-requests.ts';
import type { Books, PaidIn } from '../books.ts';
import type { SandboxReply } from '../reply.ts';
import { listedPaidIn, listedPayouts } from '../statements/provider-lists.ts';
import { transactionOf } from './answers.ts';
import { errorReply } from './errors.ts';

const defaultLimit = 50;
const longestPage = 100;

/**
 * `GET /accounts/{identifierType}/{identifier}/transactions` (providers.md 3.1): the payouts of an
 * account, their reversals, and what was paid into it, newest first.
 */
export function listTransactions(ctx: Context, books: Books): SandboxReply {
  const { fromDateTime, toDateTime, transactionStatus } = ctx.query;
  const limit = Math.min(numberOf(ctx.query.limit, defaultLimit), longestPage);
  const offset = numberOf(ctx.query.offset, 0);
  const from = fromDateTime === undefined ? 0 : Date.parse(String(fromDateTime));
  const to = toDateTime === undefined ? Date.now() : Date.parse(String(toDateTime));
  if (Number.isNaN(from) || Number.isNaN(to)) return errorReply('format', { field: 'dateTime' });
  const isAsked = (one: TakenRequest) =>
    one.takenAt.getTime() >= from &&
    one.takenAt.getTime() <= to &&
    (transactionStatus === undefined || statusOf(one) === transactionStatus);
  const paidOut = listedPayouts(books, 'gsma')
    .filter(isAsked)
    .map((one) => ({ at: one.takenAt.getTime(), transaction: transactionOf(one) }))
    .filter(({ transaction }) => isOf(ctx, transaction));
  const paidIn = listedPaidIn(books, 'gsma')
    .filter(isAsked)
    .map((one) => ({ at: one.takenAt.getTime(), transaction: paidInOf(ctx, one) }));
  const found = [...paidOut, ...paidIn]
    .sort((one, other) => other.at - one.at)
    .map(({ transaction }) => transaction);
  const page = found.slice(offset, offset + limit);
  ctx.set('X-Records-Available-Count', String(found.length));
  ctx.set('X-Records-Returned-Count', String(page.length));
  return { status: 200, body: page };
}

/** Money that a bank paid into the account that is asked about. */
const paidInOf = (ctx: Context, paid: PaidIn) => ({
  transactionReference: paid.transactionReference,
  transactionStatus: statusOf(paid),
  type: paid.type,
  amount: paid.amount,
  currency: paid.currency,
  creditParty: [paid.account ?? { key: ctx.params.identifierType, value: ctx.params.identifier }],
  debitParty: [{ key: 'organisationid', value: 'bank' }],
  creationDate: paid.takenAt.toISOString(),
  modificationDate: paid.takenAt.toISOString(),
});

/** Whether an account is a party of a transaction. */
function isOf(ctx: Context, { creditParty, debitParty }: ReturnType<typeof transactionOf>) {
  const { identifierType: key, identifier: value } = ctx.params;
  return [creditParty, debitParty].some(
    (party) =>
      Array.isArray(party) && party.some((one) => one.key === key && String(one.value) === value),
  );
}

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : otherwise;
