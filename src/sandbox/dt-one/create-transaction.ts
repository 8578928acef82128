import type { Context } from 'koa';
import type { AirtimeBehaviour } from '../behaviours.ts';
import type { Books, Topup } from '../books.ts';
import { delayOutcome, type Waiting } from '../delays.ts';
import { type Callbacks, endLater } from '../end-later.ts';
import { type Faults, underFault } from '../faults/provider-faults.ts';
import { notAuthorised, type SandboxReply, tooManyRequests } from '../reply.ts';
import { readJsonObject } from '../request-body.ts';
import {
  delaySecondsOf,
  firstStatus,
  laterStatus,
  shortlySeconds,
  topupBehaviour,
} from '../scenarios.ts';
import { errorReply } from './errors.ts';
import { transactionOf } from './transaction.ts';
import { checkTransactionRequest } from './transaction-request.ts';

export interface DtOneParts {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly callbacks: Callbacks<Topup>;
  readonly faults: Faults;
}

/** A synchronous request waits for the end of the transaction, up to this limit. */
const longestSynchronousSeconds = 180;

/** Answers without a transaction. */
const otherReplies: Partial<Record<AirtimeBehaviour['answer'], SandboxReply>> = {
  'connection-dropped': 'dropped',
  unavailable: errorReply('unavailable'),
  'not-authorised': notAuthorised,
  'too-many-requests': tooManyRequests,
};

/**
 * `POST /async/transactions` and `POST /sync/transactions` (providers.md 3.2). Both answer after
 * the delay of the number's scenario; the synchronous one also waits for an early end.
 */
export async function createTransaction(
  ctx: Context,
  mode: { readonly isSynchronous: boolean },
  { books, waiting, callbacks, faults }: DtOneParts,
): Promise<SandboxReply> {
  const request = checkTransactionRequest(await readJsonObject(ctx), mode);
  if ('error' in request) return errorReply(request.error, request.field);
  if (books.findTopup('reference', request.reference, 'dt-one'))
    return errorReply('externalIdUsed');

  const { to, product } = request;
  const scenario = topupBehaviour(to, product.operator);
  const behaviour = underFault(scenario, faults.of('dt-one'));
  if (behaviour.books === 'not-taken') {
    await waiting.wait(delaySecondsOf(to));
    return otherReplies[behaviour.answer] ?? errorReply('unavailable');
  }
  // The books contain a top-up before its delay, so that an inquiry during the delay finds it.
  const topup = books.takeTopup({
    ...request,
    provider: 'dt-one',
    currency: 'ETB',
    behaviour,
  });
  const first = firstStatus[behaviour.books];
  await delayOutcome(waiting, delaySecondsOf(to), (from) => books.settle(topup, first, from));
  if (mode.isSynchronous) await waitForEnd(topup, { books, waiting });

  // The answer has the first status even where "shortly" is scaled to zero.
  const body = transactionOf(topup, { isFirst: !mode.isSynchronous });
  const reply = otherReplies[behaviour.answer] ?? { status: 201, body };
  const later =
    mode.isSynchronous && first === undefined ? undefined : laterStatus[behaviour.books];
  await endLater(
    ctx,
    topup,
    { callback: behaviour.callback, first, later },
    { books, waiting, callbacks },
  );
  return reply;
}

async function waitForEnd(
  topup: Topup,
  { books, waiting }: Pick<DtOneParts, 'books' | 'waiting'>,
): Promise<void> {
  if (topup.behaviour.books === 'pending') await waiting.wait(longestSynchronousSeconds);
  if (topup.behaviour.books !== 'completed-later') return;
  await waiting.wait(shortlySeconds);
  books.settle(topup, 'completed');
}
