import type { Context } from 'koa';
import type { PayoutBehaviour } from '../behaviours.ts';
import type { Books, Payout } from '../books.ts';
import { delayOutcome, type Waiting } from '../delays.ts';
import { type Callbacks, endLater } from '../end-later.ts';
import { type Faults, underFault } from '../faults/provider-faults.ts';
import { notAuthorised, type SandboxReply, tooManyRequests } from '../reply.ts';
import { readJsonObject } from '../request-body.ts';
import { delaySecondsOf, firstStatus, laterStatus, payoutBehaviour } from '../scenarios.ts';
import { requestStateOf, transactionOf } from './answers.ts';
import { errorReply } from './errors.ts';
import { checkPayoutRequest } from './payout-request.ts';

export interface GsmaParts {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly faults: Faults;
  readonly payoutCallbacks: Callbacks<Payout>;
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
  const known = books.findPayout('correlationId', correlationId, 'gsma');
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
  await delayOutcome(waiting, delaySeconds, (from) =>
    books.settle(payout, firstStatus[behaviour.books], from),
  );
  const reply = takenReplies[behaviour.answer]?.(payout) ?? otherReply();
  // An answer that has the outcome is followed by callbacks about changes only.
  const first = payout.isAsynchronous ? firstStatus[behaviour.books] : undefined;
  const later = laterStatus[behaviour.books];
  const { callback } = behaviour;
  await endLater(
    ctx,
    payout,
    { callback, first, later },
    { books, waiting, callbacks: parts.payoutCallbacks },
  );
  return reply;
}

/** A valid address of the header `X-Callback-URL`. */
export function callbackUrlOf(ctx: Context): string | undefined {
  const url = ctx.get('X-Callback-URL');
  return URL.canParse(url) && /^https?:/i.test(url) ? url : undefined;
}
