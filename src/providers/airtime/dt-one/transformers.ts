import { z } from 'zod';
import type { Operator } from '../../../domain/phone.ts';
import type { ProviderStatementLine } from '../../../domain/positions/statement-line.ts';
import { presentableMessage } from '../../../domain/providers.ts';
import {
  type DoubtfulAnswer,
  type HttpAnswer,
  looseNumber,
  looseText,
  readJson,
  readOk,
  storedText,
  tooManyRequests,
} from '../../http-call.ts';
import {
  agree,
  credentialsRefused,
  ofAnotherAmount,
  otherField,
  type ProviderOutcome,
  reversed,
  underWay,
  unknown,
} from '../../outcome.ts';
import {
  type AirtimeOrder,
  agreeOnNumber,
  exactNumber,
  hasForm,
  severalTopups,
} from '../airtime.ts';

/** Enumerations are compared without case and punctuation: COMPLETED, Completed. */
const word = z
  .string()
  .transform((text) =>
    text
      .toUpperCase()
      .replace(/[^A-Z]+/g, '-')
      .replace(/^-|-$/g, ''),
  )
  .nullish();

const statusSchema = z.object({
  message: word,
  class: z.object({
    id: z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).nullish(),
    message: word,
  }),
});

/** The fields of a transaction that we read; its PIN is not read. */
export const transactionSchema = z.object({
  /** 64 bits: an id beyond 2^53 was rounded by the parser and is useless. */
  id: z.union([z.int(), z.string()]).transform(String).pipe(storedText).optional().catch(undefined),
  external_id: looseText.nullish(),
  operator_reference: storedText.nullish().catch(undefined),
  status: statusSchema,
  product: z.object({ id: looseText }).nullish().catch(undefined),
  credit_party_identifier: z.object({ mobile_number: z.string() }).nullish().catch(undefined),
  /** The requested values; a package is identified only by its product. */
  requested_values: z
    .object({
      destination: z.object({ unit: z.string(), amount: looseNumber }).nullish(),
    })
    .nullish()
    .catch(undefined),
});

/** The answer of `GET /transactions`. */
const transactionsSchema = z.array(transactionSchema);

const errorsSchema = z.object({
  errors: z.array(z.object({ code: z.coerce.number(), message: z.string().catch('') })).min(1),
});

type Transaction = z.infer<typeof transactionSchema>;

/** The airtime products with a range of amounts; every mobile operator has its own. */
export type RangedProducts = Readonly<Record<Operator, number>>;

/** The body of `POST /async/transactions`; amounts are JSON numbers. */
export interface TransactionRequest {
  readonly external_id: string;
  readonly product_id: number;
  readonly auto_confirm: true;
  readonly credit_party_identifier: { readonly mobile_number: string };
  readonly callback_url?: string;
  readonly calculation_mode?: 'DESTINATION_AMOUNT';
  readonly destination?: {
    readonly unit_type: 'CURRENCY';
    readonly unit: 'ETB';
    readonly amount: number;
  };
}

/**
 * The body of `POST /async/transactions`, or the reason why the provider cannot accept the order.
 */
export function toTransactionRequest(
  { reference, msisdn, product }: AirtimeOrder,
  rangedProducts: RangedProducts,
  callbackUrl: string | undefined,
): TransactionRequest | { readonly problem: string } {
  if (!hasForm(msisdn, /^\+[1-9][0-9]{6,14}$/)) return { problem: 'The number is not E.164.' };
  if (reference.length === 0 || reference.length > 40) {
    return { problem: 'The reference has more than 40 characters, or none.' };
  }
  const common = {
    external_id: reference,
    auto_confirm: true,
    credit_party_identifier: { mobile_number: msisdn },
    ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
  } as const;
  if (product.kind === 'package') return { ...common, product_id: product.providerProductId };
  const amount = exactNumber(product.amount);
  if (amount === undefined) return { problem: 'The provider cannot carry this amount.' };
  return {
    ...common,
    product_id: rangedProducts[product.operator],
    calculation_mode: 'DESTINATION_AMOUNT',
    destination: { unit_type: 'CURRENCY', unit: 'ETB', amount },
  };
}

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
 * Reasons that may disappear. A wrong or barred number does not, and a transaction that the mobile
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

/** The provider has a top-up under our reference, although it does not list it. */
const duplicateOf = (reference: string) =>
  underWay('The provider says that it used our reference before, and does not know it.', reference);

/** Maps the answer to an order. That to a used reference only says where to look. */
export function readOrderAnswer(
  answer: HttpAnswer,
  request: TransactionRequest,
): ProviderOutcome | DoubtfulAnswer {
  if (answer.status === 429) return tooManyRequests(answer);
  // A 401 that is not an error of DT One's proves nothing: it may have taken the order.
  if (answer.status === 401 && readJson(errorsSchema, answer.body)) return credentialsRefused;
  if (answer.status < 200 || answer.status >= 300) return readErrors(answer, request.external_id);
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
  const transactions = readOk(transactionsSchema, answer);
  if (!transactions) return unreadable(answer);
  if (transactions.length === 0) return { kind: 'never-seen' };
  // A provider that ignores the filter lists its latest transactions.
  const [transaction, ...others] = transactions.filter(
    ({ external_id }) => external_id === request.external_id,
  );
  if (!transaction) return ofAnother;
  return others.length > 0
    ? severalTopups(transaction.id ?? request.external_id)
    : readOurs(transaction, request);
}

/** A transaction with a different reference, product, number or currency proves nothing. */
function readOurs(transaction: Transaction, request: TransactionRequest): ProviderOutcome {
  if (!agree(transaction.external_id, request.external_id)) return ofAnother;
  const other = differenceOf(transaction, request);
  if (other) return otherField('top-up', other, transaction.id);
  const outcome = readTransaction(transaction, request);
  const ours = request.destination?.amount;
  const theirs = transaction.requested_values?.destination?.amount;
  return ours === undefined || theirs === undefined || agree(String(theirs), String(ours))
    ? outcome
    : ofAnotherAmount(outcome, String(theirs), 'top-up', transaction.id);
}

/** The name of the deviating field, except the amount; never its value, which may be personal. */
function differenceOf(
  { product, credit_party_identifier: party, requested_values: requested }: Transaction,
  request: TransactionRequest,
): string | undefined {
  const { destination } = request;
  const number = request.credit_party_identifier.mobile_number;
  if (!agreeOnNumber(party?.mobile_number, number)) return 'number';
  // The airtime product is a setting, which may have changed; the amount is enough.
  if (destination === undefined)
    return agree(product?.id, String(request.product_id)) ? undefined : 'product';
  return agree(requested?.destination?.unit, destination.unit) ? undefined : 'currency';
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
  if (name === 'REVERSED') return reversed('top-up', providerReference);
  if (!refusedClasses.includes(name)) return underWay(`The status of the top-up is ${name}.`, id);
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
): ProviderStatementLine['status'] {
  const name = classOf(found);
  if (name === 'COMPLETED') return 'completed';
  if (name === 'REVERSED') return 'reversed';
  return name !== undefined && refusedClasses.includes(name) ? 'failed' : 'pending';
}

function readErrors(answer: HttpAnswer, reference: string): ProviderOutcome | DoubtfulAnswer {
  const errors = readJson(errorsSchema, answer.body)?.errors ?? [];
  const [first] = errors;
  if (answer.status === 400 && errors.some(({ code }) => code === externalIdUsed)) {
    return { kind: 'look-up', otherwise: duplicateOf(reference) };
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
