import type { Context } from 'koa';
import type { AirtimeBehaviour } from '../behaviours.ts';
import type { Books, Topup } from '../books.ts';
import { delayOutcome, type Waiting } from '../delays.ts';
import { type Callbacks, endLater } from '../end-later.ts';
import { type Faults, underFault } from '../faults/provider-faults.ts';
import { notAuthorised, type SandboxReply, tooManyRequests } from '../reply.ts';
import { readJsonObject } from '../request-body.ts';
import { delaySecondsOf, firstStatus, laterStatus, topupBehaviour } from '../scenarios.ts';
import type { ReloadlyWebhook } from './callbacks.ts';
import { errorReply, type ReloadlyErrorCode } from './errors.ts';
import { checkTopupRequest } from './topup-request.ts';

export interface ReloadlyParts {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly callbacks: Callbacks<Topup>;
  readonly faults: Faults;
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
 * `POST /topups-async` (providers.md 3.2b). It answers with the id of the top-up, after the delay of
 * the number's scenario; its outcome is found by an inquiry.
 */
export async function createTopup(ctx: Context, parts: ReloadlyParts): Promise<SandboxReply> {
  const { books, waiting, callbacks, faults } = parts;
  const request = checkTopupRequest(await readJsonObject(ctx));
  if ('error' in request) return errorReply(ctx, request.error);
  if (books.findTopup('reference', request.reference, 'reloadly'))
    return errorReply(ctx, 'CUSTOM_IDENTIFIER_ALREADY_USED');

  const { to, product } = request;
  const scenario = topupBehaviour(to, product.operator);
  const behaviour = underFault(scenario, faults.of('reloadly'));
  const refusal = refusals[behaviour.reason ?? ''];
  if (behaviour.books === 'not-taken' || refusal) {
    await waiting.wait(delaySecondsOf(to));
    return refusal ? errorReply(ctx, refusal) : otherReplyOf(ctx, behaviour);
  }
  // The books contain a top-up before its delay, so that an inquiry during the delay finds it.
  const topup = books.takeTopup({
    ...request,
    provider: 'reloadly',
    currency: 'ETB',
    behaviour,
    callbackUrl: undefined,
  });
  const first = firstStatus[behaviour.books];
  await delayOutcome(waiting, delaySecondsOf(to), (from) => books.settle(topup, first, from));
  await endLater(
    ctx,
    topup,
    { callback: behaviour.callback, first, later: laterStatus[behaviour.books] },
    { books, waiting, callbacks },
  );
  if (behaviour.reason === 'EXCEPTION')
    return errorReply(ctx, 'TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT');
  return behaviour.answer.startsWith('transaction')
    ? { status: 200, body: { transactionId: Number(topup.transactionId) } }
    : otherReplyOf(ctx, behaviour);
}

/** Answers without a top-up. */
function otherReplyOf(ctx: Context, { answer }: AirtimeBehaviour): SandboxReply {
  if (answer === 'connection-dropped') return 'dropped';
  if (answer === 'not-authorised') return notAuthorised;
  if (answer === 'too-many-requests') return tooManyRequests;
  return errorReply(ctx, 'SERVICE_UNAVAILABLE');
}
