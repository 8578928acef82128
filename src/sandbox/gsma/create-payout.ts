import { finished } from 'node:stream';
import type { Context } from 'koa';
import { settle, type TakenStatus } from '../accepted-requests.js';
import type { PayoutBehaviour } from '../behaviours.js';
import type { Books, Payout } from '../books.js';
import type { Waiting } from '../delays.js';
import { type Faults, underFault } from '../faults/provider-faults.js';
import { notAuthorised, type SandboxReply, tooManyRequests } from '../reply.js';
import { readJsonObject } from '../request-body.js';
import {
  delaySecondsOf,
  firstStatus,
  laterStatus,
  payoutBehaviour,
  shortlySeconds,
} from '../scenarios.js';
import { requestStateOf, transactionOf } from './answers.js';
import type { PayoutCallbacks } from './callbacks.js';
import { errorReply } from './errors.js';
import { checkPayoutRequest } from './payout-request.js';

export interface GsmaParts {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly faults: Faults;
  readonly payoutCallbacks: PayoutCallbacks;
}

type Answer = PayoutBehaviour['answer'];

/** Answers about an accepted payout. */
const takenReplies: Partial<Record<Answer, (payout: Payout) => SandboxReply>> = {
  transaction: (payout) => ({ status: 201, body: transactionOf(payout) }),
  'transaction-in-pascal-case': (payout) => ({ status: 201, body: transactionOf(payout) }),
  'request-state': (payout) => ({ status: 202, body: requestStateOf(payout) }),
};

/** Answers without a payout. */
const otherReplies: Partial<Record<Answer, () => SandboxReply>> = {
  'no-such-account': () => errorReply('noSuchAccount'),
  'account-barred': () => errorReply('accountBarred'),
  declined: () => errorReply('declined'),
  duplicate: () => errorReply('duplicate'),
  unavailable: () => errorReply('unavailable'),
  'connection-dropped': () => 'dropped',
  'too-many-requests': () => tooManyRequests,
  'not-authorised': () => notAuthorised,
};

/** `POST /transactions/type/disbursement` (providers.md 3.1). */
export async function createPayout(ctx: Context, parts: GsmaParts): Promise<SandboxReply> {
  const { books, waiting, faults } = parts;
  const correlationId = ctx.get('X-CorrelationID');
  const body = await readJsonObject(ctx);
  const known = books.findPayout('correlationId', correlationId);
  if (known) return errorReply('duplicate', { isInPascalCase: known.isInPascalCase });
  const request = checkPayoutRequest(correlationId, body);
  if ('error' in request) return errorReply(request.error, { field: request.field });

  const behaviour = underFault(payoutBehaviour(request.to), faults.of('gsma'));
  const delaySeconds = delaySecondsOf(request.to);
  const otherReply = otherReplies[behaviour.answer] ?? (() => errorReply('internal'));
  if (behaviour.books === 'not-taken') {
    await waiting.wait(delaySeconds);
    return otherReply();
  }
  // The books contain a payout before its delay, so that an inquiry during the delay finds it.
  const payout = books.takePayout({
    provider: 'gsma',
    ...request,
    correlationId,
    request: body ?? {},
    isAsynchronous: ['request-state', 'internal-error'].includes(behaviour.answer),
    isInPascalCase: behaviour.answer === 'transaction-in-pascal-case',
    callbackUrl: callbackUrlOf(ctx),
    callback: behaviour.callback,
  });
  await waiting.wait(delaySeconds);
  settle(payout, firstStatus[behaviour.books]);
  const reply = takenReplies[behaviour.answer]?.(payout) ?? otherReply();
  const later = laterStatus[behaviour.books];
  if (behaviour.callback === 'before-the-answer') {
    settle(payout, later);
    if (later) await parts.payoutCallbacks.announce(payout, later);
    return reply;
  }
  // The answer has the first status even where "shortly" is scaled to zero.
  settle(payout, later, waiting.moment(shortlySeconds));
  announceAfterAnswer(ctx, payout, { first: firstStatus[behaviour.books], later }, parts);
  return reply;
}

/** A valid address of the header `X-Callback-URL`. */
export function callbackUrlOf(ctx: Context): string | undefined {
  const url = ctx.get('X-Callback-URL');
  return URL.canParse(url) && /^https?:/i.test(url) ? url : undefined;
}

/** An answer that has the outcome is followed by callbacks about changes only. */
export function announceAfterAnswer(
  ctx: Context,
  payout: Payout,
  {
    first,
    later,
  }: { readonly first: TakenStatus | undefined; readonly later: TakenStatus | undefined },
  { waiting, payoutCallbacks }: Omit<GsmaParts, 'books'>,
): void {
  finished(ctx.res, async () => {
    if (first && payout.isAsynchronous) await payoutCallbacks.announce(payout, first);
    await waiting.wait(shortlySeconds);
    if (later) await payoutCallbacks.announce(payout, later);
  });
}
