import type { Context } from 'koa';
import { z } from 'zod';
import type { Books, Payout } from '../books.ts';
import { type Callback, type ProviderParts, runCourse } from '../callbacks.ts';
import { underFault } from '../faults.ts';
import {
  commonReplies,
  readRequest,
  type SandboxReply,
  statusOf,
  type TakenStatus,
  webAddress,
} from '../requests.ts';
import {
  type PayoutBehaviour,
  payoutBehaviour,
  reversalBehaviour,
  reversalDelaySecondsOf,
} from '../scenarios.ts';
import { errorObject, errorReply, requestStateOf, transactionOf } from './answers.ts';

const text = z.string().min(1).max(256);

/** A payment, with what the answer echoes. */
const payoutSchema = z.looseObject({
  amount: z.string().regex(/^(?!0(\.0*)?$)(0|[1-9]\d{0,17})(\.\d{1,4})?$/),
  currency: z.literal('ETB'),
  creditParty: z
    .array(z.object({ key: text, value: text }))
    .min(1)
    .max(10),
  descriptionText: z.string().max(160).optional(),
  requestingOrganisationTransactionReference: text.optional(),
});

/** A reversal is of the payout's full amount. */
const reversalSchema = z.looseObject({
  type: z.literal('reversal'),
  amount: z.string().optional(),
  currency: z.literal('ETB').optional(),
  requestingOrganisationTransactionReference: text.optional(),
});

type Answer = PayoutBehaviour['answer'];

/** Answers about an accepted payout. */
const takenReplies: Partial<Record<Answer, (payout: Payout) => SandboxReply>> = {
  transaction: (payout) => ({ status: 201, body: transactionOf(payout) }),
  'request-state': (payout) => ({ status: 202, body: requestStateOf(payout) }),
};

/** Answers of this API without a payout. */
const otherReplies: Partial<Record<Answer, () => SandboxReply>> = {
  'no-such-account': () => errorReply('noSuchAccount'),
  'account-barred': () => errorReply('accountBarred'),
  declined: () => errorReply('declined'),
  duplicate: () => errorReply('duplicate'),
  unavailable: () => errorReply('unavailable'),
};

/** `POST /transactions/type/disbursement` (GSMA Mobile Money API). */
export async function createPayout(ctx: Context, parts: ProviderParts): Promise<SandboxReply> {
  const { books, faults } = parts;
  const correlationId = ctx.get('X-CorrelationID');
  const { request, malformed } = await readRequest(ctx, payoutSchema);
  if (books.findPayout('correlationId', correlationId, 'gsma')) return errorReply('duplicate');
  if (!isUuid(correlationId)) return errorReply('format', 'X-CorrelationID');
  if (!request) return errorReply('format', malformed);

  const { amount, currency, creditParty } = request;
  const payee = creditParty.find(({ value }) => /\d{3}$/.test(value)) ?? creditParty[0];
  const to = payee?.value ?? '';
  const behaviour = underFault(payoutBehaviour(to), faults.of('gsma'));
  const { answer } = behaviour;
  const refuse = () => commonReplies[answer] ?? otherReplies[answer]?.() ?? errorReply('internal');
  const isAsynchronous = answer === 'request-state';
  return runCourse(ctx, parts, {
    to,
    behaviour,
    refuse,
    take: () =>
      books.takePayout({
        provider: 'gsma',
        reference: request.requestingOrganisationTransactionReference ?? correlationId,
        to,
        amount,
        currency,
        correlationId,
        request,
        isAsynchronous,
        callbackUrl: callbackUrlOf(ctx),
        callback: behaviour.callback,
      }),
    // An answer that has the outcome is followed by callbacks about changes only.
    tellsFirst: isAsynchronous,
    answer: (payout) => takenReplies[answer]?.(payout) ?? refuse(),
  });
}

const isUuid = (text: string): boolean => z.uuid().safeParse(text).success;

/** A valid address of the header `X-Callback-URL`. */
const callbackUrlOf = (ctx: Context): string | undefined =>
  webAddress.safeParse(ctx.get('X-Callback-URL')).data;

/**
 * `POST /transactions/{transactionReference}/reversals` (GSMA Mobile Money API): takes a completed payout
 * back, once and in full.
 */
export async function createReversal(ctx: Context, parts: ProviderParts): Promise<SandboxReply> {
  const { books } = parts;
  const correlationId = ctx.get('X-CorrelationID');
  const { request, malformed } = await readRequest(ctx, reversalSchema);
  if (books.findReversal('correlationId', correlationId)) return errorReply('duplicate');
  const original = books.findPayout('transactionReference', ctx.params.reference ?? '');
  if (!original) return errorReply('notFound');
  if (!isUuid(correlationId)) return errorReply('format', 'X-CorrelationID');
  if (!request) return errorReply('format', malformed);
  const { amount = original.amount } = request;
  if (Number(amount) !== Number(original.amount)) return errorReply('format', 'amount');

  const { to } = original;
  const { books: course, answer } = reversalBehaviour(to);
  if (course !== 'not-taken' && !isReversible(books, original)) return errorReply('incorrectState');
  const isAsynchronous = answer === 'request-state';
  return runCourse(ctx, parts, {
    to,
    behaviour: { books: course, callback: 'once' },
    delaySeconds: reversalDelaySecondsOf(to),
    refuse: () => errorReply('declined'),
    take: () =>
      books.takeReversal({
        provider: 'gsma',
        reference: request.requestingOrganisationTransactionReference ?? correlationId,
        to,
        amount: original.amount,
        currency: original.currency,
        correlationId,
        request,
        isAsynchronous,
        callbackUrl: callbackUrlOf(ctx),
        callback: 'once',
        original,
      }),
    tellsFirst: isAsynchronous,
    answer: (reversal) =>
      commonReplies[answer] ?? takenReplies[answer]?.(reversal) ?? errorReply('declined'),
  });
}

const isReversible = (books: Books, original: Payout): boolean =>
  statusOf(original) === 'completed' &&
  books.reversalsOf(original).every((earlier) => statusOf(earlier) === 'failed');

/**
 * GSMA's callbacks (GSMA Mobile Money API): PUTs the transaction, or the error object of a failure, with the
 * correlation id of the request.
 */
export function gsmaCallback(payout: Payout, status: TakenStatus): Callback | undefined {
  const { callbackUrl: url, correlationId } = payout;
  if (url === undefined) return undefined;
  const body = status === 'failed' ? errorObject('failed') : transactionOf(payout, status);
  return { method: 'PUT', url, headers: { 'X-CorrelationID': correlationId }, body };
}
