import { isAmountDelivered } from '../../../domain/providers/amount-tolerance.ts';
import { presentableMessage } from '../../../domain/providers/presentable-message.ts';
import { internationalDigits } from '../../../domain/providers/written-number.ts';
import type { TokenVerdict } from '../../access-token.ts';
import { agree } from '../../agree.ts';
import type { DoubtfulAnswer } from '../../doubtful-answer.ts';
import type { HttpAnswer } from '../../http-call.ts';
import { disagreement, type ProviderOutcome, unknown } from '../../outcome.ts';
import { readJson } from '../../read-json.ts';
import type { ProviderBalance } from '../../statement.ts';
import { tooManyRequests } from '../../too-many-requests.ts';
import type { ProviderTransaction } from '../../transaction-list.ts';
import {
  balanceSchema,
  errorSchema,
  pageSchema,
  type ReloadlyTopup,
  topupSchema,
} from './answers.ts';
import { deliveredAmount } from './delivered-amount.ts';
import { errorCodes } from './error-codes.ts';
import type { TopupRequest } from './topup-request.ts';

/** A 401 that is not an error of Reloadly's proves nothing: it may have taken the order. */
export function judgeToken({ status, body }: HttpAnswer): TokenVerdict {
  if (status !== 401) return 'accepted';
  return readJson(errorSchema, body) ? 'rejected' : 'doubtful';
}

/** Maps the answer to an order. An accepted order has only an id: its outcome needs an inquiry. */
export function readOrderAnswer(
  answer: HttpAnswer,
  request: TopupRequest,
): ProviderOutcome | DoubtfulAnswer {
  if (answer.status === 429) return tooManyRequests(answer);
  const verdict = judgeToken(answer);
  if (verdict === 'rejected') {
    return { kind: 'not-sent', message: 'The credentials were not accepted.' };
  }
  if (verdict === 'doubtful') return { kind: 'look-up', otherwise: unknown('HTTP status 401.') };
  if (answer.status < 200 || answer.status >= 300) return readError(answer);
  const topup = readJson(topupSchema, answer.body);
  if (topup?.transactionId == null) return unreadable(answer);
  return topup.status == null
    ? unknown('The top-up is being processed.')
    : readOurs(topup, request);
}

/** Maps the list of top-ups under our reference. An empty list is not definite: see the client. */
export function readFoundOrders(
  answer: HttpAnswer,
  request: TopupRequest,
): ProviderOutcome | { readonly kind: 'not-listed' } {
  const page = answer.status === 200 ? readJson(pageSchema, answer.body) : undefined;
  if (!page) return unreadable(answer);
  if (page.content.length === 0) return { kind: 'not-listed' };
  // The provider's search ignores case, and one that ignores the filter lists the latest top-ups.
  const ours = page.content.filter(
    ({ customIdentifier }) => customIdentifier === request.customIdentifier,
  );
  const [topup, ...others] = ours;
  if (!topup) return ofAnother;
  // Its check of references is not atomic, so this can be value given twice.
  if (others.length > 0)
    return disagreement('The provider knows several top-ups by our reference.');
  return readOurs(topup, request);
}

function readOurs(topup: ReloadlyTopup, request: TopupRequest): ProviderOutcome {
  if (!agree(topup.customIdentifier, request.customIdentifier, (text) => text)) return ofAnother;
  const other = differenceOf(topup, request);
  return other
    ? disagreement(`The provider knows a top-up with another ${other}.`)
    : readTopup(topup, request);
}

/**
 * The name of the deviating field; never its value, which may be personal. The operator's id is a
 * setting, which may have changed; amount and number are enough.
 */
function differenceOf(topup: ReloadlyTopup, request: TopupRequest): string | undefined {
  if (!agree(topup.recipientPhone, request.recipientPhone.number, internationalDigits))
    return 'number';
  const { amount, currency } = deliveredAmount(topup);
  if (!agree(currency, 'ETB')) return 'currency';
  return amount === null || isAmountDelivered('reloadly', request.amount, amount)
    ? undefined
    : 'amount';
}

function readTopup(topup: ReloadlyTopup, request: TopupRequest): ProviderOutcome {
  const { status, operatorTransactionId, transactionId } = topup;
  const providerReference = operatorTransactionId ?? transactionId ?? request.customIdentifier;
  if (status === 'SUCCESSFUL') return { kind: 'delivered', providerReference };
  if (status === 'REFUNDED' && operatorTransactionId != null) {
    const reversal = 'The provider refunded the top-up after the operator had completed it.';
    return { kind: 'delivered', providerReference, reversal };
  }
  if (status !== 'FAILED' && status !== 'REFUNDED') {
    return unknown(`The status of the top-up is ${presentableMessage(status ?? 'missing')}.`);
  }
  return {
    kind: 'refused',
    code: status,
    message: status === 'FAILED' ? 'The top-up failed.' : 'The top-up failed and was refunded.',
    retryCanHelp: false,
  };
}

/** The status of a listed top-up; one that we do not know says nothing final. */
export function statusOfTopup({
  status,
  operatorTransactionId,
}: ReloadlyTopup): ProviderTransaction['status'] {
  if (status === 'SUCCESSFUL') return 'completed';
  if (status === 'FAILED') return 'failed';
  if (status === 'REFUNDED') return operatorTransactionId == null ? 'failed' : 'reversed';
  return 'pending';
}

function readError(answer: HttpAnswer): ProviderOutcome | DoubtfulAnswer {
  const error = readJson(errorSchema, answer.body);
  const isClientError = answer.status >= 400 && answer.status < 500;
  const meaning = error && isClientError ? errorCodes[error.errorCode] : undefined;
  const nothingListed = unknown(
    `HTTP status ${answer.status}${error ? `, ${presentableMessage(error.errorCode)}` : ''}.`,
  );
  if (error === undefined || meaning === undefined) return nothingListed;
  if (meaning === 'look-up') return { kind: 'look-up', otherwise: nothingListed };
  return {
    kind: 'refused',
    code: error.errorCode,
    message: presentableMessage(error.message) || `Error ${error.errorCode}.`,
    retryCanHelp: meaning === 'passing',
  };
}

const ofAnother = unknown('The answer is about another top-up.');
const unreadable = ({ status }: HttpAnswer) =>
  unknown(`HTTP status ${status}, without a readable top-up.`);

/** Our balance with the provider. */
export function readBalance({ status, body }: HttpAnswer): ProviderBalance {
  const found = status === 200 ? readJson(balanceSchema, body) : undefined;
  return found
    ? { kind: 'balance', amount: String(found.balance), currency: found.currencyCode }
    : { kind: 'unknown', message: `HTTP status ${status}, without a readable balance.` };
}
