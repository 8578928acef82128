import type { Context } from 'koa';
import type { Books, Payout } from '../books.ts';
import { type Callback, type ProviderParts, runCourse } from '../callbacks.ts';
import { underFault } from '../faults.ts';
import {
  commonReplies,
  isWebAddress,
  readJsonObject,
  type SandboxReply,
  statusOf,
  type TakenStatus,
} from '../requests.ts';
import {
  type PayoutBehaviour,
  payoutBehaviour,
  reversalBehaviour,
  reversalDelaySecondsOf,
} from '../scenarios.ts';
import {
  errorObject,
  errorReply,
  type GsmaErrorName,
  requestStateOf,
  transactionOf,
} from './answers.ts';

/** A validated request for a payout; `to` is the payee's number or other identifier. */
type PayoutRequest = Pick<Payout, 'reference' | 'to' | 'amount' | 'currency'>;

interface Rejection {
  readonly error: GsmaErrorName;
  readonly field: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const amountFormat = /^(0|[1-9]\d{0,17})(\.\d{1,4})?$/;

/** Validates a request like the GSMA API; the first problem ends it. */
function checkPayoutRequest(
  correlationId: string,
  body: Readonly<Record<string, unknown>> | undefined,
): PayoutRequest | Rejection {
  if (!correlationId) return { error: 'missing', field: 'X-CorrelationID' };
  if (!uuid.test(correlationId)) return { error: 'format', field: 'X-CorrelationID' };
  if (!body) return { error: 'format', field: 'body' };
  const { amount, currency, creditParty, descriptionText = '' } = body;
  const { requestingOrganisationTransactionReference: reference = correlationId } = body;

  if (amount === undefined) return { error: 'missing', field: 'amount' };
  if (typeof amount !== 'string') return { error: 'format', field: 'amount' };
  if (/^-/.test(amount) || /^0(\.0*)?$/.test(amount)) return { error: 'negative', field: 'amount' };
  if (!amountFormat.test(amount)) return { error: 'format', field: 'amount' };
  if (currency === undefined) return { error: 'missing', field: 'currency' };
  if (typeof currency !== 'string') return { error: 'format', field: 'currency' };
  if (currency !== 'ETB') return { error: 'currency', field: 'currency' };
  if (creditParty === undefined) return { error: 'missing', field: 'creditParty' };
  if (!isParty(creditParty)) return { error: 'format', field: 'creditParty' };
  if (typeof descriptionText !== 'string') return { error: 'format', field: 'descriptionText' };
  if (descriptionText.length > 160) return { error: 'length', field: 'descriptionText' };

  if (!isText(reference))
    return { error: 'format', field: 'requestingOrganisationTransactionReference' };

  const number = creditParty.find(({ value }) => /\d{3}$/.test(value)) ?? creditParty[0];
  return { reference, to: number?.value ?? '', amount, currency };
}

/** Validates the request for a reversal, which is of the payout's full amount. */
function checkReversalRequest(
  correlationId: string,
  body: Readonly<Record<string, unknown>> | undefined,
  original: Payout,
): Pick<PayoutRequest, 'reference'> | Rejection {
  if (!correlationId) return { error: 'missing', field: 'X-CorrelationID' };
  if (!uuid.test(correlationId)) return { error: 'format', field: 'X-CorrelationID' };
  if (!body) return { error: 'format', field: 'body' };
  const { type, amount = original.amount, currency = original.currency } = body;
  const { requestingOrganisationTransactionReference: reference = correlationId } = body;
  if (type !== 'reversal') return { error: 'transactionType', field: 'type' };
  if (typeof amount !== 'string' || Number(amount) !== Number(original.amount))
    return { error: 'format', field: 'amount' };
  if (currency !== original.currency) return { error: 'currency', field: 'currency' };
  if (!isText(reference))
    return { error: 'format', field: 'requestingOrganisationTransactionReference' };
  return { reference };
}

function isParty(value: unknown): value is { key: string; value: string }[] {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= 10 &&
    value.every((item) => isText(item?.key) && isText(item?.value))
  );
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 256;

type Answer = PayoutBehaviour['answer'];

/** Answers about an accepted payout. */
const takenReplies: Partial<Record<Answer, (payout: Payout) => SandboxReply>> = {
  transaction: (payout) => ({ status: 201, body: transactionOf(payout) }),
  'transaction-in-pascal-case': (payout) => ({ status: 201, body: transactionOf(payout) }),
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
  const body = await readJsonObject(ctx);
  const known = books.findPayout('correlationId', correlationId, 'gsma');
  if (known) return errorReply('duplicate', { isInPascalCase: known.isInPascalCase });
  const request = checkPayoutRequest(correlationId, body);
  if ('error' in request) return errorReply(request.error, { field: request.field });

  const behaviour = underFault(payoutBehaviour(request.to), faults.of('gsma'));
  const { answer } = behaviour;
  const refuse = () => commonReplies[answer] ?? otherReplies[answer]?.() ?? errorReply('internal');
  const isAsynchronous = answer === 'request-state';
  return runCourse(ctx, parts, {
    to: request.to,
    behaviour,
    refuse,
    take: () =>
      books.takePayout({
        provider: 'gsma',
        ...request,
        correlationId,
        request: body ?? {},
        isAsynchronous,
        isInPascalCase: answer === 'transaction-in-pascal-case',
        callbackUrl: callbackUrlOf(ctx),
        callback: behaviour.callback,
      }),
    // An answer that has the outcome is followed by callbacks about changes only.
    tellsFirst: isAsynchronous,
    answer: (payout) => takenReplies[answer]?.(payout) ?? refuse(),
  });
}

/** A valid address of the header `X-Callback-URL`. */
function callbackUrlOf(ctx: Context): string | undefined {
  const url = ctx.get('X-Callback-URL');
  return isWebAddress(url) ? url : undefined;
}

/**
 * `POST /transactions/{transactionReference}/reversals` (GSMA Mobile Money API): takes a completed payout
 * back, once and in full.
 */
export async function createReversal(ctx: Context, parts: ProviderParts): Promise<SandboxReply> {
  const { books } = parts;
  const correlationId = ctx.get('X-CorrelationID');
  const body = await readJsonObject(ctx);
  if (books.findReversal('correlationId', correlationId)) return errorReply('duplicate');
  const original = books.findPayout('transactionReference', ctx.params.reference ?? '');
  if (!original) return errorReply('notFound');
  const request = checkReversalRequest(correlationId, body, original);
  if ('error' in request) return errorReply(request.error, { field: request.field });

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
        reference: request.reference,
        to,
        amount: original.amount,
        currency: original.currency,
        correlationId,
        request: body ?? {},
        isAsynchronous,
        isInPascalCase: original.isInPascalCase,
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
  const { callbackUrl: url, correlationId, isInPascalCase } = payout;
  if (url === undefined) return undefined;
  const body =
    status === 'failed' ? errorObject('failed', isInPascalCase) : transactionOf(payout, status);
  return { method: 'PUT', url, headers: { 'X-CorrelationID': correlationId }, body };
}
