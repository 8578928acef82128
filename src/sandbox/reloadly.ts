import { createHmac } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { localText, momentOf } from '../domain/local-time.ts';
import type { Books, Topup } from './books.ts';
import { type Callback, type ProviderParts, runCourse } from './callbacks.ts';
import { underFault } from './faults.ts';
import { findProduct } from './products.ts';
import {
  commonReplies,
  createTokens,
  give,
  isWrongKey,
  numberParameter,
  readRequest,
  type SandboxReply,
  statusOf,
  type TakenStatus,
  type Tokens,
  webAddress,
} from './requests.ts';
import { type AirtimeBehaviour, topupBehaviour } from './scenarios.ts';
import { listedTopups, statusesOfReloadly } from './statements.ts';

/** The account is not kept in birr, as a real one need not be. */
const ACCOUNT_CURRENCY = 'USD';

/** Of the times of its API, as public samples suggest (src/config/settings/provider-settings.ts). */
const ACCOUNT_ZONE = 'America/New_York';

/** The product in the books by Reloadly's id of a mobile operator. */
const productIds: Readonly<Record<number, number>> = { 3001: 1001, 3002: 1002 };

/** For one unit of the account's currency. */
const BIRR_OF_THE_ACCOUNT = 153.7;

/**
 * The charge of the account in its own currency, and the delivered amount, which is converted from
 * it. A public sample shows 3168.4 NGN and 4.9985 GBP for an order of 5 GBP.
 */
function amountsOf({ amount, currency }: Topup) {
  const paid = Number((Number(amount) / BIRR_OF_THE_ACCOUNT).toFixed(4));
  return {
    requestedAmount: paid,
    requestedAmountCurrencyCode: ACCOUNT_CURRENCY,
    deliveredAmount: Number((paid * BIRR_OF_THE_ACCOUNT).toFixed(4)),
    deliveredAmountCurrencyCode: currency,
  };
}

/** What a client reads of a top-up in the format of Reloadly. */
function topupAnswer(topup: Topup, status: TakenStatus = statusOf(topup)) {
  const isDone = status === 'completed' || status === 'reversed';
  return {
    transactionId: Number(topup.transactionId),
    status: statusesOfReloadly[status],
    operatorTransactionId: isDone ? topup.operatorReference : null,
    customIdentifier: topup.reference,
    recipientPhone: topup.to.slice(1),
    ...amountsOf(topup),
    transactionDate: localText(topup.takenAt, ACCOUNT_ZONE),
  };
}

/** Where the account's callbacks go, as in the provider's dashboard; the secret signs them. */
const webhookSchema = z.object({ url: webAddress, secret: z.string() });

export type ReloadlyWebhook = Readonly<z.infer<typeof webhookSchema>>;

/**
 * Reloadly's callbacks: POSTs an event with the top-up. The signature is the HMAC-SHA256, in hex, of
 * the body, a colon and the time of the request.
 */
export function reloadlyCallback(
  topup: Topup,
  status: TakenStatus,
  { url, secret }: ReloadlyWebhook,
): Callback {
  const body = {
    type: 'airtime_transaction.status',
    date: new Date().toISOString(),
    data: topupAnswer(topup, status),
  };
  const timestamp = String(Date.now());
  const signature = createHmac('sha256', secret)
    .update(`${JSON.stringify(body)}:${timestamp}`)
    .digest('hex');
  const headers = {
    'X-Reloadly-Signature': signature,
    'X-Reloadly-Request-Timestamp': timestamp,
  };
  return { method: 'POST', url, headers, body };
}

/** The error answers of Reloadly: HTTP status and message by `errorCode`. */
const errors = {
  INVALID_CREDENTIALS: [401, 'Access denied'],
  INVALID_TOKEN: [401, 'Full authentication is required to access this resource'],
  INVALID_REQUEST: [400, 'Request is not well-formed'],
  INVALID_RECIPIENT_PHONE: [400, 'Recipient phone number is not valid'],
  PHONE_BANNED_BY_OPERATOR: [400, 'The phone number is barred by its operator'],
  PHONE_RECENTLY_RECHARGED: [400, 'The phone number was recharged within the last two minutes'],
  INVALID_AMOUNT_FOR_OPERATOR: [400, 'The amount is not valid for this operator'],
  OPERATOR_NOT_FOUND: [404, 'Operator not found'],
  OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE: [400, 'The operator is currently unavailable'],
  CUSTOM_IDENTIFIER_ALREADY_USED: [400, 'The custom identifier was already used'],
  TRANSACTION_NOT_FOUND: [404, 'Transaction not found for given id'],
  TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT: [400, 'The transaction cannot be processed now'],
  SERVICE_UNAVAILABLE: [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [number, string]>;

type ReloadlyErrorCode = keyof typeof errors;

/** An error as the whole answer. */
export function errorReply(ctx: Context, errorCode: ReloadlyErrorCode): SandboxReply {
  const [status, message] = errors[errorCode];
  const timeStamp = new Date().toISOString().slice(0, 19).replace('T', ' ');
  return {
    status,
    body: { timeStamp, message, path: ctx.path, errorCode, infoLink: null, details: [] },
  };
}

const topupSchema = z.object({
  customIdentifier: z.string().min(1).max(100),
  // The sandbox has no rate of exchange.
  useLocalAmount: z.literal(true),
  operatorId: z.int(),
  amount: z.number().multipleOf(0.01),
  recipientPhone: z.object({
    countryCode: z.literal('ET'),
    /** With or without its plus sign. */
    number: z.string().regex(/^\+?251\d{4,12}$/),
  }),
});

interface ReloadlyParts extends ProviderParts {
  readonly reloadlyWebhook: { target: ReloadlyWebhook | undefined };
}

/** Reasons that are known before the order is made: an error, and nothing in the books. */
const refusals: Readonly<Record<string, ReloadlyErrorCode>> = {
  'INVALID-CREDIT-PARTY': 'INVALID_RECIPIENT_PHONE',
  'BARRED-CREDIT-PARTY': 'PHONE_BANNED_BY_OPERATOR',
  'OPERATOR-CURRENTLY-UNAVAILABLE': 'OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE',
  'DUPLICATED-TRANSACTION': 'PHONE_RECENTLY_RECHARGED',
};

/**
 * `POST /topups-async` (Reloadly's airtime API). It answers with the id of the top-up, after the delay of
 * the number's scenario; its outcome is found by an inquiry.
 */
async function createTopup(ctx: Context, parts: ReloadlyParts): Promise<SandboxReply> {
  const { books, faults } = parts;
  const { request } = await readRequest(ctx, topupSchema);
  if (!request) return errorReply(ctx, 'INVALID_REQUEST');
  const { customIdentifier: reference, amount } = request;
  const product = findProduct(productIds[request.operatorId]);
  if (!product) return errorReply(ctx, 'OPERATOR_NOT_FOUND');
  const { price } = product;
  if (typeof price === 'number' || amount < price.min || amount > price.max)
    return errorReply(ctx, 'INVALID_AMOUNT_FOR_OPERATOR');
  if (books.findTopup({ reference, provider: 'reloadly' }))
    return errorReply(ctx, 'CUSTOM_IDENTIFIER_ALREADY_USED');

  const to = `+${request.recipientPhone.number.replace('+', '')}`;
  const scenario = topupBehaviour(to, product.operator);
  const refusal = refusals[scenario.reason ?? ''];
  const behaviour: AirtimeBehaviour = refusal
    ? { ...scenario, books: 'not-taken' }
    : underFault(scenario, faults.of('reloadly'));
  return runCourse(ctx, parts, {
    to,
    behaviour,
    refuse: () => (refusal ? errorReply(ctx, refusal) : otherReplyOf(ctx, behaviour)),
    take: () =>
      books.takeTopup({
        provider: 'reloadly',
        reference,
        to,
        product,
        amount: amount.toFixed(2),
        currency: 'ETB',
        behaviour,
        callbackUrl: undefined,
      }),
    tellsFirst: true,
    answer: (topup) => answerOf(ctx, topup),
  });
}

function answerOf(ctx: Context, { behaviour, transactionId }: Topup): SandboxReply {
  if (behaviour.reason === 'EXCEPTION')
    return errorReply(ctx, 'TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT');
  return behaviour.answer === 'transaction'
    ? { status: 200, body: { transactionId: Number(transactionId) } }
    : otherReplyOf(ctx, behaviour);
}

/** Answers without a top-up. */
const otherReplyOf = (ctx: Context, { answer }: AirtimeBehaviour): SandboxReply =>
  commonReplies[answer] ?? errorReply(ctx, 'SERVICE_UNAVAILABLE');

const longestPage = 200;

/**
 * `GET /topups/reports/transactions`: by custom identifier in any case, or of a time; pages are
 * numbered from 1, newest first.
 */
function listTopups(ctx: Context, books: Books): SandboxReply {
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
    // It lists a top-up that is under way by its status alone.
    .filter((topup) => statusOf(topup) !== 'pending')
    .filter(({ takenAt }) => takenAt.getTime() >= begin && takenAt.getTime() <= end);
  const size = Math.min(numberParameter(ctx.query.size, longestPage), longestPage);
  const page = numberParameter(ctx.query.page, 1);
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

/** `GET /topups/{transactionId}/status`: while the top-up is under way there is no transaction. */
function topupStatus(ctx: Context, books: Books): SandboxReply {
  const { transactionId } = ctx.params;
  const topup = books.allTopups('reloadly').find((one) => one.transactionId === transactionId);
  if (!topup) return errorReply(ctx, 'TRANSACTION_NOT_FOUND');
  const status = statusOf(topup);
  const transaction = status === 'pending' ? null : topupAnswer(topup);
  return { status: 200, body: { status: statusesOfReloadly[status], transaction } };
}

/** `2021-12-06 08:13:39`, in the zone of the provider. */
const timeOf = (value: unknown, otherwise: number): number =>
  value === undefined
    ? otherwise
    : (momentOf(String(value), ACCOUNT_ZONE)?.getTime() ?? Number.NaN);

/** Below the path that Reloadly is mounted on, which is the API's. */
export const reloadlyTokenPath = '/oauth/token';

const tokenLifetimeSeconds = 86_400;

/** Reloadly's airtime API: tokens, top-ups and their outcomes, balance. */
export function reloadlyRouter(parts: ReloadlyParts): Router {
  const { books } = parts;
  const tokens = createTokens(tokenLifetimeSeconds);
  const router = new Router();
  router.post(reloadlyTokenPath, async (ctx) => give(ctx, await grantToken(ctx, tokens)));

  // In place of the provider's dashboard.
  router.put('/dashboard/webhook', async (ctx) => {
    const { request } = await readRequest(ctx, webhookSchema);
    if (!request) return give(ctx, errorReply(ctx, 'INVALID_REQUEST'));
    parts.reloadlyWebhook.target = request;
    ctx.status = 204;
  });

  const api = new Router();
  api.use(async (ctx, next) => {
    if (!tokens.accepts(ctx)) return give(ctx, errorReply(ctx, 'INVALID_TOKEN'));
    await next();
  });
  api.post('/topups-async', async (ctx) => give(ctx, await createTopup(ctx, parts)));
  api.get('/topups/reports/transactions', (ctx) => give(ctx, listTopups(ctx, books)));
  api.get('/topups/:transactionId/status', (ctx) => give(ctx, topupStatus(ctx, books)));
  api.get('/accounts/balance', (ctx) => {
    const balance = books.balanceOf('reloadly');
    ctx.body = { balance, currencyCode: ACCOUNT_CURRENCY, currencyName: 'US Dollar' };
  });
  router.use(api.routes());
  return router;
}

const credential = z.string().refine((text) => !isWrongKey(text));
const grantSchema = z.object({
  client_id: credential,
  client_secret: credential,
  audience: credential,
  grant_type: z.literal('client_credentials'),
});

/** Any client id and secret that are not wrong get a token, which is for the API that they name. */
async function grantToken(ctx: Context, tokens: Tokens): Promise<SandboxReply> {
  const { request } = await readRequest(ctx, grantSchema);
  if (!request) return errorReply(ctx, 'INVALID_CREDENTIALS');
  return {
    status: 200,
    body: {
      access_token: tokens.give(),
      scope: 'send-topups read-topups-history read-operators',
      expires_in: tokens.lifetimeSeconds,
      token_type: 'Bearer',
    },
  };
}
