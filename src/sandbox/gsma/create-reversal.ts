import type { Context } from 'koa';
import { statusOf, type TakenStatus } from '../accepted-requests.ts';
import type { Books, Payout, PayoutReversal } from '../books.ts';
import { delayOutcome } from '../delays.ts';
import { announceAfterAnswer } from '../end-later.ts';
import type { SandboxReply } from '../reply.ts';
import { readJsonObject } from '../request-body.ts';
import {
  firstStatus,
  laterStatus,
  reversalBehaviour,
  reversalDelaySecondsOf,
  shortlySeconds,
} from '../scenarios.ts';
import { requestStateOf, transactionOf } from './answers.ts';
import { callbackUrlOf, type GsmaParts } from './create-payout.ts';
import { errorReply } from './errors.ts';
import { checkReversalRequest } from './payout-request.ts';

/**
 * `POST /transactions/{transactionReference}/reversals` (providers.md 3.1): takes a completed payout
 * back, once and in full.
 */
export async function createReversal(ctx: Context, parts: GsmaParts): Promise<SandboxReply> {
  const { books, waiting } = parts;
  const correlationId = ctx.get('X-CorrelationID');
  const body = await readJsonObject(ctx);
  if (books.findReversal('correlationId', correlationId)) return errorReply('duplicate');
  const original = books.findPayout('transactionReference', ctx.params.reference ?? '');
  if (!original) return errorReply('notFound');
  const request = checkReversalRequest(correlationId, body, original);
  if ('error' in request) return errorReply(request.error, { field: request.field });

  const { to } = original;
  const behaviour = reversalBehaviour(to);
  const delaySeconds = reversalDelaySecondsOf(to);
  if (behaviour.books === 'not-taken') {
    await waiting.wait(delaySeconds);
    return errorReply('declined');
  }
  if (!isReversible(books, original)) return errorReply('incorrectState');
  // The books contain a reversal before its delay, so that an inquiry during the delay finds it.
  const reversal = books.takeReversal({
    provider: 'gsma',
    reference: request.reference,
    to,
    amount: original.amount,
    currency: original.currency,
    correlationId,
    request: body ?? {},
    isAsynchronous: behaviour.answer === 'request-state',
    isInPascalCase: original.isInPascalCase,
    callbackUrl: callbackUrlOf(ctx),
    callback: 'once',
    original,
  });
  const [first, later] = [firstStatus[behaviour.books], laterStatus[behaviour.books]];
  await delayOutcome(waiting, delaySeconds, (from) => settleReversal(books, reversal, first, from));
  const reply: SandboxReply =
    behaviour.answer === 'request-state'
      ? { status: 202, body: requestStateOf(reversal) }
      : { status: 201, body: transactionOf(reversal) };
  settleReversal(books, reversal, later, waiting.moment(shortlySeconds));
  const told = { first: reversal.isAsynchronous ? first : undefined, later };
  announceAfterAnswer(ctx, reversal, told, { waiting, callbacks: parts.payoutCallbacks });
  return behaviour.answer === 'connection-dropped' ? 'dropped' : reply;
}

const isReversible = (books: Books, original: Payout): boolean =>
  statusOf(original) === 'completed' &&
  books.reversalsOf(original).every((earlier) => statusOf(earlier) === 'failed');

/** Gives a reversal its next status; a completed one changes its payout. */
function settleReversal(
  books: Books,
  reversal: PayoutReversal,
  status: TakenStatus | undefined,
  from: Date,
): void {
  books.settle(reversal, status, from);
  if (status === 'completed') books.settle(reversal.original, 'reversed', from);
}
