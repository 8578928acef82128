import { presentableMessage } from '../../../domain/providers/presentable-message.ts';
import { internationalDigits } from '../../../domain/providers/written-number.ts';
import { agree } from '../../agree.ts';
import type { DoubtfulAnswer } from '../../doubtful-answer.ts';
import type { HttpAnswer } from '../../http-call.ts';
import { disagreement, type ProviderOutcome, unknown } from '../../outcome.ts';
import { readJson } from '../../read-json.ts';
import { tooManyRequests } from '../../too-many-requests.ts';
import type { ProviderTransaction } from '../../transaction-list.ts';
import {
  errorsSchema,
  type Transaction,
  transactionSchema,
  transactionsSchema,
} from './answers.ts';
import type { TransactionRequest } from './transaction-request.ts';

/** Classes of status by id; name and id must agree. */
const statusClasses: Readonly<Record<number, string>> = {
  1: 'CREATED',
  2: 'CONFIRMED',
  3: 'REJECTED',
  4: 'CANCELLED',
  5: 'SUBMITTED',
  7: 'COMPLETED',
  8: 'REVERSED',
  9: 'DECLINED',
};
const classNames = Object.values(statusClasses);
const refusedClasses: readonly string[] = ['REJECTED', 'CANCELLED', 'DECLINED'];

/**
 * Reasons that may disappear. A wrong or barred number does not, and a transaction that the
 * operator calls a duplicate must not be sent again without a person's decision.
 */
const passingReason =
  /OPERATOR-CURRENTLY-UNAVAILABLE|LIMITATIONS-ON-|INSUFFICIENT-BALANCE|EXCEPTION/;

const externalIdUsed = 1_007_001;
const insufficientBalance = 1_006_001;
/**
 * With these statuses these codes prove that nothing was created: request, product, party, money.
 */
const refusalCodes: Readonly<Record<number, RegExp>> = {
  400: /^(1000400|100[356]\d{3}|1007500)$/,
  404: /^1003/,
};

const notAccepted: ProviderOutcome = {
  kind: 'not-sent',
  message: 'The credentials were not accepted.',
};
const unknownDuplicate = unknown(
  'The provider says that it used our reference before, and does not know it.',
);

/** Maps the answer to an order. Those to a used reference, and of a gateway, only say where to look. */
export function readOrderAnswer(
  answer: HttpAnswer,
  request: TransactionRequest,
): ProviderOutcome | DoubtfulAnswer {
  if (answer.status === 429) return tooManyRequests(answer);
  if (answer.status === 401) {
    // One that is not DT One's proves nothing: it may have taken the order.
    return readJson(errorsSchema, answer.body)
      ? notAccepted
      : { kind: 'look-up', otherwise: notAccepted };
  }
  if (answer.status < 200 || answer.status >= 300) return readErrors(answer);
  const transaction = readJson(transactionSchema, answer.body);
  if (!transaction) return unreadable(answer);
  return agree(transaction.product?.id, String(request.product_id))
    ? readOurs(transaction, request)
    : ofAnother;
}

/** Maps the list of transactions under our reference. An empty list is definite. */
export function readFoundOrders(
  answer: HttpAnswer,
  request: TransactionRequest,
): ProviderOutcome | { readonly kind: 'never-seen' } {
  const transactions =
    answer.status === 200 ? readJson(transactionsSchema, answer.body) : undefined;
  if (!transactions) return unreadable(answer);
  const [transaction, ...others] = transactions;
  if (!transaction) return { kind: 'never-seen' };
  if (others.length > 0) return unknown('The provider knows several top-ups by our reference.');
  // A provider that ignores the filter lists its latest transactions.
  if (transaction.external_id !== request.external_id) return ofAnother;
  return readOurs(transaction, request);
}

/** A transaction with a different reference, product, number or amount proves nothing. */
function readOurs(transaction: Transaction, request: TransactionRequest): ProviderOutcome {
  if (!agree(transaction.external_id, request.external_id)) return ofAnother;
  const other = differenceOf(transaction, request);
  return other
    ? disagreement(`The provider knows a top-up with another ${other}.`)
    : readTransaction(transaction, request);
}

/** The name of the deviating field; never its value, which may be personal. */
function differenceOf(
  { product, credit_party_identifier: party, requested_values: requested }: Transaction,
  request: TransactionRequest,
): string | undefined {
  const { destination } = request;
  const number = request.credit_party_identifier.mobile_number;
  if (!agree(party?.mobile_number, number, internationalDigits)) return 'number';
  // The airtime product is a setting, which may have changed; the amount is enough.
  if (destination === undefined)
    return agree(product?.id, String(request.product_id)) ? undefined : 'product';
  const theirs = requested?.destination;
  if (!agree(theirs?.unit, destination.unit)) return 'currency';
  return agree(theirs?.amount.toString(), destination.amount.toString()) ? undefined : 'amount';
}

function readTransaction(
  { status, operator_reference, id }: Transaction,
  request: Pick<TransactionRequest, 'external_id'>,
): ProviderOutcome {
  const name = classOf(status.class);
  const code = status.message || name || '';
  // The class decides; the code of a detailed status begins with the name of its class.
  const [begin = ''] = code.split('-');
  if (name === undefined || (begin !== name && classNames.includes(begin))) {
    return unknown('The status of the top-up contradicts itself, or is a new one.');
  }
  const providerReference = operator_reference ?? id ?? request.external_id;
  if (name === 'COMPLETED') return { kind: 'delivered', providerReference };
  if (name === 'REVERSED') {
    const reversal = 'The provider reversed the top-up after it had completed it.';
    return { kind: 'delivered', providerReference, reversal };
  }
  if (!refusedClasses.includes(name)) return unknown(`The status of the top-up is ${name}.`);
  return {
    kind: 'refused',
    code: presentableMessage(code),
    message: presentableMessage(inWords(code)),
    retryCanHelp: passingReason.test(code),
  };
}

/** The class of a status. Name or id may be missing, but they never contradict each other. */
function classOf({ id, message }: Transaction['status']['class']): string | undefined {
  const name = id == null ? message : statusClasses[id];
  return name != null && classNames.includes(name) && agree(message, name) ? name : undefined;
}

/** DECLINED-BARRED-CREDIT-PARTY is "Declined: barred credit party." */
function inWords(code: string): string {
  const [outcome = '', ...reason] = code.toLowerCase().split('-');
  const words = reason.length > 0 ? `${outcome}: ${reason.join(' ')}` : outcome;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The status of a listed transaction; a class that we do not know says nothing final. */
export function statusOfClass(
  found: Transaction['status']['class'],
): ProviderTransaction['status'] {
  const name = classOf(found);
  if (name === 'COMPLETED') return 'completed';
  if (name === 'REVERSED') return 'reversed';
  return name !== undefined && refusedClasses.includes(name) ? 'failed' : 'pending';
}

function readErrors(answer: HttpAnswer): ProviderOutcome | DoubtfulAnswer {
  const errors = readJson(errorsSchema, answer.body)?.errors ?? [];
  const [first] = errors;
  if (answer.status === 400 && errors.some(({ code }) => code === externalIdUsed)) {
    return { kind: 'look-up', otherwise: unknownDuplicate };
  }
  const isRefusal = errors.every(({ code }) => refusalCodes[answer.status]?.test(String(code)));
  if (!first || !isRefusal) return unknown(`HTTP status ${answer.status}.`);
  return {
    kind: 'refused',
    code: String(first.code),
    message: presentableMessage(first.message) || `Error ${first.code}.`,
    retryCanHelp: first.code === insufficientBalance,
  };
}

const ofAnother = unknown('The answer is about another top-up.');
const unreadable = ({ status }: HttpAnswer) =>
  unknown(`HTTP status ${status}, without a readable transaction.`);
