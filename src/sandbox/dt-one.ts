import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import type { Books, Topup } from './books.ts';
import { type Callback, type ProviderParts, runCourse } from './callbacks.ts';
import { underFault } from './faults.ts';
import { findProduct, type Product } from './products.ts';
import {
  commonReplies,
  E164,
  give,
  hasBasicCredentials,
  numberParameter,
  readRequest,
  type SandboxReply,
  statusOf,
  type TakenStatus,
  webAddress,
} from './requests.ts';
import { topupBehaviour } from './scenarios.ts';
import { listedTopups, statusesOfDtOne } from './statements.ts';

/** Ids of status classes by name. */
const classIds = {
  CONFIRMED: 2,
  SUBMITTED: 5,
  COMPLETED: 7,
  REVERSED: 8,
  DECLINED: 9,
} as const;

/** What a client reads of a transaction in the format of DT One; `isFirst` right after its confirmation. */
function transactionOf(
  topup: Topup,
  { status = statusOf(topup), isFirst = false }: { status?: TakenStatus; isFirst?: boolean } = {},
) {
  const name = isFirst && status === 'pending' ? 'CONFIRMED' : statusesOfDtOne[status];
  const isDone = status === 'completed' || status === 'reversed';
  const { reason: why } = topup.behaviour;
  const reason = status === 'failed' && why ? `-${why}` : '';
  return {
    id: Number(topup.transactionId),
    external_id: topup.reference,
    creation_date: topup.takenAt.toISOString(),
    status: {
      // The ids of the detailed statuses are not documented; those of the classes are.
      id: classIds[name] * 10_000,
      message: `${name}${reason}`,
      class: { id: classIds[name], message: name },
    },
    operator_reference: isDone ? topup.operatorReference : null,
    product: { id: topup.product.id },
    prices: { wholesale: { unit_type: 'CURRENCY', unit: 'USD', fee: 0 } },
    requested_values: {
      destination: { unit_type: 'CURRENCY', unit: topup.currency, amount: Number(topup.amount) },
    },
    credit_party_identifier: { mobile_number: topup.to },
  };
}

/** DT One's callbacks: POSTs the transaction. */
export const dtOneCallback = (topup: Topup, status: TakenStatus): Callback | undefined =>
  topup.callbackUrl === undefined
    ? undefined
    : { method: 'POST', url: topup.callbackUrl, body: transactionOf(topup, { status }) };

/** The error answers of DT One: HTTP status, code and message. */
const errors = {
  badRequest: [400, 1_000_400, 'Bad Request'],
  unauthorised: [401, 1_000_401, 'Unauthorized'],
  productNotAvailable: [404, 1_003_001, 'Product is not available in your account'],
  amountOutOfRange: [400, 1_003_002, 'Requested product amount is out of range'],
  externalIdUsed: [400, 1_007_001, 'Transaction external ID has already been used'],
  unavailable: [503, 1_009_503, 'Service unavailable'],
} as const satisfies Record<string, readonly [number, number, string]>;

type DtOneErrorName = keyof typeof errors;

/** An error as the whole answer; `field` names its cause. */
export function errorReply(name: DtOneErrorName, field?: string): SandboxReply {
  const [status, code, words] = errors[name];
  const message = field ? `${words}: ${field}` : words;
  return { status, body: { errors: [{ code, message }] } };
}

const transactionSchema = z
  .object({
    external_id: z.string().min(1).max(40),
    product_id: z.int(),
    // The sandbox has no endpoint to confirm a transaction later.
    auto_confirm: z.literal(true),
    credit_party_identifier: z.object({ mobile_number: z.string().regex(E164) }),
    callback_url: webAddress.optional(),
    calculation_mode: z.literal('DESTINATION_AMOUNT').optional(),
    destination: z
      .object({
        unit_type: z.literal('CURRENCY'),
        unit: z.literal('ETB'),
        amount: z.number().multipleOf(0.01),
      })
      .optional(),
  })
  .refine(({ calculation_mode, destination }) => !calculation_mode === !destination);

/** The price of a package, or the named amount of airtime; undefined where the product is not sold so. */
function amountOf({ price }: Product, named: number | undefined): number | undefined {
  if (typeof price === 'number') return named === undefined ? price : undefined;
  return named !== undefined && named >= price.min && named <= price.max ? named : undefined;
}

/**
 * `POST /async/transactions` (DVS v1), which answers after the delay of the number's
 * scenario.
 */
async function createTransaction(ctx: Context, parts: ProviderParts): Promise<SandboxReply> {
  const { books, faults } = parts;
  const { request, malformed } = await readRequest(ctx, transactionSchema);
  if (!request) return errorReply('badRequest', malformed);
  const { external_id: reference, callback_url: callbackUrl } = request;
  const product = findProduct(request.product_id);
  if (!product) return errorReply('productNotAvailable');
  const amount = amountOf(product, request.destination?.amount);
  if (amount === undefined) return errorReply('amountOutOfRange');
  if (books.findTopup({ reference, provider: 'dt-one' })) return errorReply('externalIdUsed');

  const to = request.credit_party_identifier.mobile_number;
  const scenario = topupBehaviour(to, product.operator);
  const behaviour = underFault(scenario, faults.of('dt-one'));
  const refuse = () => commonReplies[behaviour.answer] ?? errorReply('unavailable');
  return runCourse(ctx, parts, {
    to,
    behaviour,
    refuse,
    take: () =>
      books.takeTopup({
        provider: 'dt-one',
        reference,
        to,
        product,
        amount: amount.toFixed(2),
        currency: 'ETB',
        callbackUrl,
        behaviour,
      }),
    tellsFirst: true,
    answer: (topup) =>
      behaviour.answer === 'transaction'
        ? { status: 201, body: transactionOf(topup, { isFirst: true }) }
        : refuse(),
  });
}

const longestPage = 100;
const defaultPage = 50;

/** The requested page of a list. */
function pageOf<Item>(ctx: Context, items: readonly Item[]): Item[] {
  const perPage = Math.min(numberParameter(ctx.query.per_page, defaultPage), longestPage);
  const page = numberParameter(ctx.query.page, 1);
  return items.slice((page - 1) * perPage, page * perPage);
}

const dayMilliseconds = 24 * 3_600_000;

/**
 * `GET /transactions`: by external id without a time limit, otherwise a range of at most 24 hours,
 * by default the last 24 (DVS v1).
 */
function listTransactions(ctx: Context, books: Books): SandboxReply {
  const { external_id: externalId, from_date: from, to_date: to } = ctx.query;
  if (typeof externalId === 'string') {
    const topup = books.findTopup({ reference: externalId, provider: 'dt-one' });
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

/** Below the path that DT One is mounted on. */
export const dtOnePath = '/v1';

/** DT One DVS v1: airtime and packages, and their outcomes. */
export function dtOneRouter(parts: ProviderParts): Router {
  const { books } = parts;
  const api = new Router();
  api.use(requireKey);

  api.post('/async/transactions', async (ctx) => {
    give(ctx, await createTransaction(ctx, parts));
  });
  api.get('/transactions', (ctx) => give(ctx, listTransactions(ctx, books)));
  api.get('/balances', (ctx) => {
    const available = books.balanceOf('dt-one');
    ctx.body = [{ id: 1, unit_type: 'CURRENCY', unit: 'USD', available, holding: 0 }];
  });

  const router = new Router();
  router.use(dtOnePath, api.routes());
  return router;
}

const requireKey: Middleware = async (ctx, next) => {
  if (!hasBasicCredentials(ctx)) return give(ctx, errorReply('unauthorised'));
  await next();
};
