import { randomBytes, randomUUID } from 'node:crypto';
import { finished } from 'node:stream';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import type { Payout } from './books.ts';
import { type Callback, type CallbackParts, type ProviderParts, runCourse } from './callbacks.ts';
import { underFault } from './faults.ts';
import {
  commonReplies,
  createTokens,
  give,
  hasBasicCredentials,
  readRequest,
  type SandboxReply,
  statusOf,
  type TakenStatus,
  webAddress,
} from './requests.ts';
import { type PayoutBehaviour, payoutBehaviour, shortlySeconds } from './scenarios.ts';
import { statusesOfMpesa } from './statements.ts';

type Outcome = readonly [code: number | string, words: string];

/** How each failing scenario fails, by the last two digits of the payee's number. */
const failures: Readonly<Record<string, Outcome>> = {
  '03': [2040, 'Credit Party customer type can not be supported by the service.'],
  '04': [1, 'The balance is insufficient for the transaction.'],
  '06': [8, 'Declined due to limit rule: would exceed the maximum balance.'],
};
const otherFailure: Outcome = [17, 'System internal error.'];
const done: Outcome = [0, 'The service request is processed successfully.'];

const idOf = (moment: Date, rest: string): string =>
  `AG_${moment.toISOString().slice(0, 10).replaceAll('-', '')}_${rest}`;

/** An id of M-Pesa for one request. */
const newConversationId = (): string => idOf(new Date(), randomBytes(10).toString('hex'));

/** The id that the acceptance of a payment named. */
const conversationIdOf = ({ takenAt, serverCorrelationId }: Payout): string =>
  idOf(takenAt, serverCorrelationId.replaceAll('-', '').slice(0, 20));

/** The answer to an accepted request. */
const acceptance = (originatorConversationId: string, conversationId: string) => ({
  ConversationID: conversationId,
  OriginatorConversationID: originatorConversationId,
  ResponseCode: '0',
  ResponseDescription: 'Accept the service request successfully.',
});

/** The result of a payment that has ended. */
function paymentResult(payout: Payout, status: TakenStatus): object {
  const ids = {
    originatorConversationId: payout.correlationId,
    conversationId: conversationIdOf(payout),
    receipt: payout.transactionReference,
  };
  if (status === 'failed') return resultOf(ids, failures[payout.to.slice(-2)] ?? otherFailure);
  return resultOf(ids, done, {
    TransactionAmount: Number(payout.amount),
    TransactionReceipt: payout.transactionReference,
    ReceiverPartyPublicName: nameOf(payout),
  });
}

/** The answer to an inquiry; without a payment there is nothing to tell. */
function inquiryResult(payout: Payout | undefined, conversationId: string): object {
  const ids = { originatorConversationId: newConversationId(), conversationId };
  if (!payout)
    return resultOf({ ...ids, receipt: '' }, ['SFC_IC0003', 'The transaction does not exist.']);
  return resultOf({ ...ids, receipt: payout.transactionReference }, done, {
    CreditPartyName: nameOf(payout),
    OriginatorConversationID: payout.correlationId,
    TransactionStatus: statusesOfMpesa[statusOf(payout)],
    Amount: Number(payout.amount),
    ReceiptNo: payout.transactionReference,
  });
}

const nameOf = ({ to }: Payout): string => `${to.replace(/^\+/, '')} - SANDBOX PERSON`;

const resultOf = (
  ids: {
    readonly originatorConversationId: string;
    readonly conversationId: string;
    readonly receipt: string;
  },
  [code, words]: Outcome,
  parameters: Readonly<Record<string, unknown>> = {},
): object => ({
  Result: {
    ResultType: 0,
    ResultCode: code,
    ResultDesc: words,
    OriginatorConversationID: ids.originatorConversationId,
    ConversationID: ids.conversationId,
    TransactionID: ids.receipt,
    ResultParameters: {
      ResultParameter: Object.entries(parameters).map(([Key, Value]) => ({ Key, Value })),
    },
  },
});

/**
 * M-Pesa's callbacks (Daraja). Out of order is a notice of a full queue after the
 * result. A merchant hears nothing of a reversal.
 */
export function mpesaCallback(
  payout: Payout,
  status: TakenStatus,
  announced: TakenStatus,
): Callback | undefined {
  if (announced === 'reversed') return undefined;
  const { request, callbackUrl } = payout;
  return status === 'pending'
    ? { method: 'POST', url: String(request.QueueTimeOutURL), body: request }
    : { method: 'POST', url: String(callbackUrl), body: paymentResult(payout, status) };
}

/** Sends the answer to an inquiry; only a tester can lose it. */
async function answerInquiry(
  payout: Payout | undefined,
  { conversationId, resultUrl }: { readonly conversationId: string; readonly resultUrl: string },
  { sender, faults }: CallbackParts,
): Promise<void> {
  if (faults.of('mpesa').losesCallbacks) return;
  const body = inquiryResult(payout, conversationId);
  const times = payout?.callback === 'twice' ? 2 : 1;
  for (let sent = 0; sent < times; sent += 1)
    await sender.send({ method: 'POST', url: resultUrl, body });
}

/** The errors of Daraja's gateway: HTTP status, code and message. */
const errors = {
  invalidToken: [404, '404.001.03', 'Invalid Access Token'],
  wrongToken: [401, '401.002.01', 'Error Occurred - Invalid Access Token'],
  credentials: [400, '400.008.01', 'Invalid Authentication passed'],
  grantType: [400, '400.008.02', 'Invalid grant type passed'],
  invalid: [400, '400.002.02', 'Bad Request - Invalid'],
  duplicate: [500, '500.002.1001', 'Duplicate OriginatorConversationID.'],
  internal: [500, '500.003.1001', 'Internal Server Error'],
  unavailable: [503, '503.001.01', 'Service is currently unavailable'],
} as const satisfies Record<string, readonly [number, string, string]>;

/** An error as the whole answer; `field` names its cause. */
export function errorReply(name: keyof typeof errors, field?: string): SandboxReply {
  const [status, errorCode, words] = errors[name];
  const errorMessage = field === undefined ? words : `${words} ${field}`;
  return { status, body: { requestId: randomUUID(), errorCode, errorMessage } };
}

/** The fields that all requests have. */
const shared = {
  SecurityCredential: z.string().min(1).max(2_000),
  PartyA: z.coerce.string().regex(/^\d{5,9}$/),
  Remarks: z.string().min(2).max(100),
  ResultURL: webAddress,
  QueueTimeOutURL: webAddress,
};
const name = z.string().min(1).max(100);

/** A B2C payment. */
const paymentSchema = z.looseObject({
  ...shared,
  OriginatorConversationID: name,
  InitiatorName: name,
  CommandID: z.enum(['SalaryPayment', 'BusinessPayment', 'PromotionPayment']),
  Amount: z.coerce.string().regex(/^[1-9]\d{0,8}$/),
  PartyB: z.coerce.string().regex(/^251\d{9}$/),
});

/** A status query by the `OriginatorConversationID` of a payment. */
const inquirySchema = z.object({
  ...shared,
  OriginalConversationID: name,
  Initiator: name,
  CommandID: z.literal('TransactionStatusQuery'),
  IdentifierType: z.coerce.string().regex(/^4$/),
});

type MpesaParts = ProviderParts & CallbackParts;

/** Answers of this API that are no acceptance. */
const otherReplies: Partial<Record<PayoutBehaviour['answer'], () => SandboxReply>> = {
  'no-such-account': () => errorReply('invalid', 'PartyB'),
  duplicate: () => errorReply('duplicate'),
  'internal-error': () => errorReply('internal'),
  unavailable: () => errorReply('unavailable'),
};

/** M-Pesa accepts what it declines; the result tells. */
const behaviourOf = (to: string): PayoutBehaviour => {
  const behaviour = payoutBehaviour(to);
  const isDeclined = behaviour.answer === 'account-barred' || behaviour.answer === 'declined';
  return isDeclined ? { ...behaviour, books: 'failed', answer: 'request-state' } : behaviour;
};

/**
 * `POST /mpesa/b2c/v3/paymentrequest` (Daraja): accepts a payment, and makes a repeated one
 * again.
 */
async function createPayment(ctx: Context, parts: MpesaParts): Promise<SandboxReply> {
  const { books, faults } = parts;
  const { request, malformed } = await readRequest(ctx, paymentSchema);
  if (!request) return errorReply('invalid', malformed);

  const { OriginatorConversationID: reference } = request;
  const to = `+${request.PartyB}`;
  const behaviour = underFault(behaviourOf(to), faults.of('mpesa'));
  const { answer } = behaviour;
  const otherReply = () => commonReplies[answer] ?? otherReplies[answer]?.();
  return runCourse(ctx, parts, {
    to,
    behaviour,
    refuse: () => otherReply() ?? errorReply('internal'),
    take: () =>
      books.takePayout({
        provider: 'mpesa',
        reference,
        to,
        amount: `${request.Amount}.00`,
        currency: 'ETB',
        correlationId: reference,
        request,
        isAsynchronous: true,
        callbackUrl: request.ResultURL,
        callback: behaviour.callback,
      }),
    tellsFirst: true,
    answer: (payout) =>
      otherReply() ?? { status: 200, body: acceptance(reference, conversationIdOf(payout)) },
  });
}

/** `POST /mpesa/transactionstatus/v1/query`: the answer follows by a callback. */
async function queryStatus(ctx: Context, parts: MpesaParts): Promise<SandboxReply> {
  const { books, waiting } = parts;
  const { request, malformed } = await readRequest(ctx, inquirySchema);
  if (!request) return errorReply('invalid', malformed);
  const payout = books.findPayout('correlationId', request.OriginalConversationID, 'mpesa');
  const inquiry = { conversationId: newConversationId(), resultUrl: request.ResultURL };
  const reply = { status: 200, body: acceptance(newConversationId(), inquiry.conversationId) };
  if (payout?.callback === 'before-the-answer') {
    await answerInquiry(payout, inquiry, parts);
    return reply;
  }
  finished(ctx.res, async () => {
    if (payout?.callback === 'out-of-order') await waiting.wait(shortlySeconds);
    await answerInquiry(payout, inquiry, parts);
  });
  return reply;
}

/** M-Pesa Daraja: tokens, B2C payments and status queries. */
export function mpesaRouter(parts: MpesaParts): Router {
  const tokens = createTokens(3_599);
  const router = new Router();
  // Kenya's path, and Ethiopia's.
  router.get(['/oauth/v1/generate', '/v1/token/generate'], (ctx) => {
    if (!hasBasicCredentials(ctx)) return give(ctx, errorReply('credentials'));
    if (ctx.query.grant_type !== 'client_credentials') return give(ctx, errorReply('grantType'));
    ctx.body = { access_token: tokens.give(), expires_in: String(tokens.lifetimeSeconds) };
  });

  const requireToken: Middleware = async (ctx, next) => {
    if (!tokens.accepts(ctx)) return give(ctx, errorReply('invalidToken'));
    await next();
  };
  router.post('/mpesa/b2c/:version/paymentrequest', requireToken, async (ctx) => {
    give(ctx, await createPayment(ctx, parts));
  });
  router.post('/mpesa/transactionstatus/v1/query', requireToken, async (ctx) => {
    give(ctx, await queryStatus(ctx, parts));
  });
  return router;
}
