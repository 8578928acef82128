import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Books, PaidIn, Payout, PayoutReversal } from '../books.ts';
import type { ProviderParts } from '../callbacks.ts';
import {
  canonicalNumber,
  createTokens,
  give,
  hasBasicCredentials,
  readText,
  type SandboxReply,
  statusOf,
  type TakenRequest,
} from '../requests.ts';
import { listedPaidIn, listedPayouts } from '../statements.ts';
import { errorReply, requestStateOf, transactionOf } from './answers.ts';
import { createPayout, createReversal } from './orders.ts';

/**
 * OAuth for the GSMA API: any key and secret that are not wrong get a token; an unknown or expired token is refused. A
 * request without a token is accepted, as at GSMA's base without OAuth, and so is one with HTTP Basic.
 */
function createOAuth(): { router: Router; guard: Middleware } {
  const tokens = createTokens(3_600);
  const router = new Router();

  router.post('/accesstoken', async (ctx) => {
    const form = new URLSearchParams(await readText(ctx));
    if (!hasBasicCredentials(ctx)) {
      return give(ctx, { status: 401, body: { error: 'invalid_client' } });
    }
    if (form.get('grant_type') !== 'client_credentials') {
      return give(ctx, { status: 400, body: { error: 'unsupported_grant_type' } });
    }
    ctx.set('Cache-Control', 'no-store');
    const [access_token, expires_in] = [tokens.give(), String(tokens.lifetimeSeconds)];
    ctx.body = { access_token, token_type: 'Bearer', expires_in };
  });

  const guard: Middleware = async (ctx, next) => {
    const isAccepted =
      ctx.get('Authorization') === '' || hasBasicCredentials(ctx) || tokens.accepts(ctx);
    if (!isAccepted) return give(ctx, errorReply('notAuthorised'));
    await next();
  };
  return { router, guard };
}

/** Also the default. */
const longestPage = 50;

/**
 * `GET /accounts/{identifierType}/{identifier}/transactions` (GSMA Mobile Money API): the payouts of an
 * account, their reversals, and what was paid into it, newest first.
 */
function listTransactions(ctx: Context, books: Books): SandboxReply {
  const { fromDateTime, toDateTime } = ctx.query;
  const limit = Math.min(numberOf(ctx.query.limit, longestPage), longestPage);
  const offset = numberOf(ctx.query.offset, 0);
  const from = fromDateTime === undefined ? 0 : Date.parse(String(fromDateTime));
  const to = toDateTime === undefined ? Date.now() : Date.parse(String(toDateTime));
  if (Number.isNaN(from) || Number.isNaN(to)) return errorReply('format', 'dateTime');
  const isAsked = (one: TakenRequest) =>
    one.takenAt.getTime() >= from && one.takenAt.getTime() <= to;
  const paidOut = listedPayouts(books, 'gsma')
    .filter(isAsked)
    .map((one) => ({ at: one.takenAt.getTime(), transaction: transactionOf(one) }))
    .filter(({ transaction }) => isOf(ctx, transaction));
  const paidIn = listedPaidIn(books)
    .filter(isAsked)
    .map((one) => ({ at: one.takenAt.getTime(), transaction: paidInOf(ctx, one) }));
  const found = [...paidOut, ...paidIn]
    .sort((one, other) => other.at - one.at)
    .map(({ transaction }) => transaction);
  return { status: 200, body: found.slice(offset, offset + limit) };
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

/** What the provider says of an account, by the last two digits of its number. */
interface AccountRow {
  readonly suffix: string;
  readonly meaning: string;
  readonly status: () => SandboxReply;
  readonly name: () => SandboxReply;
}

const said = (accountStatus: string) => (): SandboxReply => ({
  status: 200,
  body: { accountStatus, subStatus: 'none' },
});
const named = (fullName: string) => (): SandboxReply => ({
  status: 200,
  body: { name: { fullName } },
});
/** Who holds all other accounts. */
const holder = 'Abebe Kebede';

/** Payments to these accounts succeed without an earlier inquiry. */
export const accountRows: readonly AccountRow[] = [
  {
    suffix: '26',
    meaning: 'unknown account',
    status: () => errorReply('noSuchAccount'),
    name: () => errorReply('noSuchAccount'),
  },
  {
    suffix: '27',
    meaning: 'the account takes no money',
    status: said('unavailable'),
    name: named(holder),
  },
  {
    suffix: '28',
    meaning: 'not registered: money would wait for its holder',
    status: said('unregistered'),
    name: named(''),
  },
  {
    suffix: '29',
    meaning: 'somebody else holds it: Chaltu Bekele instead of Abebe Kebede',
    status: said('available'),
    name: named('Chaltu Bekele'),
  },
  {
    suffix: '30',
    meaning: 'it cannot be asked for: 503',
    status: () => errorReply('unavailable'),
    name: () => errorReply('unavailable'),
  },
  {
    suffix: '31',
    meaning: 'its holder is not told: a registered one must be confirmed by an operator',
    status: said('available'),
    name: named(''),
  },
];

/** `GET /accounts/{identifierType}/{identifier}/status` and `/accountname` (GSMA Mobile Money API). */
function payeeAccountRouter(): Router {
  const router = new Router();
  const rowOf = (ctx: Context) => {
    const number = canonicalNumber(ctx.params.identifier ?? '');
    return accountRows.find(({ suffix }) => number.endsWith(suffix));
  };
  router.get('/accounts/:identifierType/:identifier/status', (ctx) =>
    give(ctx, (rowOf(ctx)?.status ?? said('available'))()),
  );
  router.get('/accounts/:identifierType/:identifier/accountname', (ctx) =>
    give(ctx, (rowOf(ctx)?.name ?? named(holder))()),
  );
  return router;
}

/** Below the path that the GSMA API is mounted on. */
export const gsmaPaths = { api: '/v1.2/mm', token: '/oauth/accesstoken' };

/** GSMA Mobile Money API 1.2.0: payouts, their outcomes and reversals, and OAuth. */
export function gsmaRouter(parts: ProviderParts): Router {
  const { books } = parts;
  const oAuth = createOAuth();
  const api = new Router();
  api.use(oAuth.guard);

  api.get('/heartbeat', (ctx) => {
    ctx.body = { serviceStatus: 'available', delay: 0 };
  });
  api.post('/transactions/type/disbursement', async (ctx) => {
    give(ctx, await createPayout(ctx, parts));
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
    const balance = books.balanceOf('gsma').toFixed(2);
    ctx.body = {
      currentBalance: balance,
      availableBalance: balance,
      reservedBalance: '0.00',
      unclearedBalance: '0.00',
      currency: 'ETB',
      accountStatus: 'available',
    };
  });
  api.use(payeeAccountRouter().routes());
  api.get('/requeststates/:id', (ctx) => {
    const payout = find('serverCorrelationId', ctx.params.id);
    give(ctx, payout ? { status: 200, body: requestStateOf(payout) } : errorReply('notFound'));
  });
  api.get('/responses/:correlationId', (ctx) => {
    const payout = find('correlationId', ctx.params.correlationId);
    if (!payout || !isCreated(payout)) return give(ctx, errorReply('notFound'));
    const base = ctx.href.slice(0, ctx.href.lastIndexOf('/responses/'));
    const link = `${base}/transactions/${payout.transactionReference}`;
    give(ctx, { status: 200, body: { link } });
  });

  const router = new Router();
  router.use(gsmaPaths.api, api.routes());
  router.use('/oauth', oAuth.router.routes());
  return router;
}

/** An asynchronous request creates a transaction where it succeeds; until then it is a request state alone. */
const isCreated = (payout: Payout | PayoutReversal): boolean =>
  !payout.isAsynchronous || !['pending', 'failed'].includes(statusOf(payout));
