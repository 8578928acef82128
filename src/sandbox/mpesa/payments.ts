import { finished } from 'node:stream';
import type { Context } from 'koa';
import type { PayoutBehaviour } from '../behaviours.ts';
import type { Books } from '../books.ts';
import { delayOutcome, type Waiting } from '../delays.ts';
import { endLater } from '../end-later.ts';
import { type Faults, underFault } from '../faults/provider-faults.ts';
import { notAuthorised, type SandboxReply, tooManyRequests } from '../reply.ts';
import { readJsonObject } from '../request-body.ts';
import {
  delaySecondsOf,
  firstStatus,
  laterStatus,
  payoutBehaviour,
  shortlySeconds,
} from '../scenarios.ts';
import type { MpesaCallbacks } from './callbacks.ts';
import { errorReply } from './errors.ts';
import { checkInquiry, checkPayment } from './requests.ts';
import { acceptance, conversationIdOf, newConversationId } from './results.ts';

export interface MpesaParts {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly faults: Faults;
  readonly mpesaCallbacks: MpesaCallbacks;
}

/** Answers that are no acceptance. */
const otherReplies: Partial<Record<PayoutBehaviour['answer'], () => SandboxReply>> = {
  'no-such-account': () => errorReply('invalid', 'PartyB'),
  duplicate: () => errorReply('duplicate'),
  'internal-error': () => errorReply('internal'),
  unavailable: () => errorReply('unavailable'),
  'connection-dropped': () => 'dropped',
  'too-many-requests': () => tooManyRequests,
  'not-authorised': () => notAuthorised,
};

/** M-Pesa accepts what it declines; the result tells. */
const behaviourOf = (to: string): PayoutBehaviour => {
  const behaviour = payoutBehaviour(to);
  const isDeclined = behaviour.answer === 'account-barred' || behaviour.answer === 'declined';
  return isDeclined ? { ...behaviour, books: 'failed', answer: 'request-state' } : behaviour;
};

/**
 * `POST /mpesa/b2c/v3/paymentrequest` (providers.md 3.1b): accepts a payment, and makes a repeated one
 * again.
 */
export async function createPayment(ctx: Context, parts: MpesaParts): Promise<SandboxReply> {
  const { books, waiting, faults, mpesaCallbacks } = parts;
  const body = await readJsonObject(ctx);
  const request = checkPayment(body);
  if ('invalid' in request) return errorReply('invalid', request.invalid);

  const behaviour = underFault(behaviourOf(request.to), faults.of('mpesa'));
  const otherReply = otherReplies[behaviour.answer];
  if (behaviour.books === 'not-taken') {
    await waiting.wait(delaySecondsOf(request.to));
    return otherReply?.() ?? errorReply('internal');
  }
  // The books contain a payment before its delay, so that an inquiry during the delay finds it.
  const payout = books.takePayout({
    provider: 'mpesa',
    reference: request.reference,
    to: request.to,
    amount: request.amount,
    currency: 'ETB',
    correlationId: request.reference,
    request: body ?? {},
    isAsynchronous: true,
    isInPascalCase: behaviour.answer === 'transaction-in-pascal-case',
    callbackUrl: request.resultUrl,
    callback: behaviour.callback,
  });
  const [first, later] = [firstStatus[behaviour.books], laterStatus[behaviour.books]];
  await delayOutcome(waiting, delaySecondsOf(request.to), (from) =>
    books.settle(payout, first, from),
  );
  const reply = otherReply?.() ?? {
    status: 200,
    body: acceptance(request.reference, conversationIdOf(payout)),
  };
  const { callback } = behaviour;
  await endLater(
    ctx,
    payout,
    { callback, first, later },
    { books, waiting, callbacks: mpesaCallbacks },
  );
  return reply;
}

/** `POST /mpesa/transactionstatus/v1/query`: the answer follows by a callback. */
export async function queryStatus(ctx: Context, parts: MpesaParts): Promise<SandboxReply> {
  const { books, waiting, mpesaCallbacks } = parts;
  const request = checkInquiry(await readJsonObject(ctx));
  if ('invalid' in request) return errorReply('invalid', request.invalid);
  const payout = request.reference
    ? books.findPayout('correlationId', request.reference, 'mpesa')
    : books.findPayout('transactionReference', request.receipt, 'mpesa');
  const inquiry = { conversationId: newConversationId(), resultUrl: request.resultUrl };
  const reply = { status: 200, body: acceptance(newConversationId(), inquiry.conversationId) };
  if (payout?.callback === 'before-the-answer') {
    await mpesaCallbacks.answerInquiry(payout, inquiry);
    return reply;
  }
  finished(ctx.res, async () => {
    if (payout?.callback === 'out-of-order') await waiting.wait(shortlySeconds);
    await mpesaCallbacks.answerInquiry(payout, inquiry);
  });
  return reply;
}
