import { z } from 'zod';
import type { ProviderStatementLine } from '../../../domain/positions/statement-line.ts';
import { internationalDigits, presentableMessage } from '../../../domain/providers.ts';
import {
  type DoubtfulAnswer,
  type HttpAnswer,
  looseText,
  readJson,
  readOk,
  storedText,
  type TokenVerdict,
  tooManyRequests,
} from '../../http-call.ts';
import {
  agree,
  credentialsRefused,
  disagreement,
  exactAmount,
  isReversed,
  ofAnotherAmount,
  otherField,
  type ProviderOutcome,
  reversed,
  underWay,
  unknown,
} from '../../outcome.ts';
import type { PartyIdentifier, Payment, PaymentReversal } from '../mobile-money.ts';

/** OpenAPI document and guide differ in the case of property names and enumerations. */
export const caseless = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(
    (value) =>
      value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item]))
        : value,
    z.object(shape),
  );
const word = z.string().transform((text) => text.trim().toLowerCase());
const identifier = looseText.pipe(storedText);

/** An error object. Its code is in the format of the OpenAPI document, e.g. `formatError`. */
const errorSchema = caseless({
  errorcategory: word,
  errorcode: z.string().transform((code) => code.charAt(0).toLowerCase() + code.slice(1)),
  errordescription: z.string().catch(''),
});

/** An unreadable value says nothing about a party, nor does an identifier without one. */
export const partySchema = z
  .array(z.object({ key: z.string(), value: looseText.nullish() }))
  .transform((party) => party.flatMap(({ key, value }) => (value == null ? [] : { key, value })))
  .catch([])
  .nullish();

export const transactionSchema = caseless({
  transactionreference: identifier,
  transactionstatus: word,
  amount: looseText.nullish(),
  currency: z.string().nullish(),
  requestingorganisationtransactionreference: z.string().nullish(),
  /** Of a reversal: the transaction that it reverses. */
  originaltransactionreference: z.string().nullish(),
  creditparty: partySchema,
});

/**
 * A request state. The document calls its error `error`, the guide `errorReference`. A status without a field of GSMA may
 * be that of a gateway.
 */
export const requestStateSchema = caseless({
  status: word,
  /** The provider's id of the request. */
  servercorrelationid: identifier.nullish().catch(undefined),
  /** An ended state is read without it, too. */
  objectreference: identifier.nullish().catch(undefined),
  notificationmethod: z.string().nullish().catch(undefined),
  /** How often the request state may be asked for; an unreadable one says nothing. */
  polllimit: z.coerce.number().int().min(0).nullish().catch(undefined),
  error: errorSchema.optional().catch(undefined),
  errorreference: errorSchema.optional().catch(undefined),
}).refine(({ status: _, ...fields }) => Object.values(fields).some((field) => field != null));

/** The answer of `/responses/{clientCorrelationId}`. */
const linkSchema = caseless({ link: z.string() });

type GsmaError = z.infer<typeof errorSchema>;
type GsmaTransaction = z.infer<typeof transactionSchema>;

/** The path of a link of `/responses`; never its host, which may be a different one. */
interface LinkedResource {
  readonly collection: 'transactions' | 'requeststates';
  readonly id: string;
}

/** `transactionStatus` is free text: only these values count, all others are unknown. */
const completedWords: readonly string[] = ['completed', 'success', 'successful', 'succeeded'];
const failedWords: readonly string[] = ['failed', 'failure', 'declined', 'rejected'];
const reversedWords: readonly string[] = ['reversed'];

/** With these statuses an error of these categories proves that nothing was done. */
const refusalCategories: Readonly<Record<number, readonly string[]>> = {
  400: ['businessrule', 'validation'],
  401: ['authorisation'],
  404: ['identification'],
};
/** Sent with 401, but about the payment and not about our credentials. */
const paymentDeclinedCodes: readonly string[] = [
  'requestDeclined',
  'servicingPartyAuthorisationError',
  'requestingPartyAuthorisationError',
];

/** The status of a listed payout; a word that we do not know says nothing final. */
export function statusOfWord(status: string): ProviderStatementLine['status'] {
  if (completedWords.includes(status)) return 'completed';
  if (failedWords.includes(status)) return 'failed';
  return reversedWords.includes(status) ? 'reversed' : 'pending';
}

/** `credit` put money into our account. */
const kinds: Readonly<Record<string, 'payment' | 'reversal' | 'credit'>> = {
  disbursement: 'payment',
  reversal: 'reversal',
  deposit: 'credit',
  merchantpay: 'credit',
};

/** The kind of a listed transaction; without a type it is a payment. */
export const kindOfType = (
  type: string | null | undefined,
): 'payment' | 'reversal' | 'credit' | 'other' =>
  type ? (kinds[type.toLowerCase()] ?? 'other') : 'payment';

const undecided = (status: string, id: string | null | undefined) =>
  underWay(`The status of the payment is ${presentableMessage(status)}.`, id);
const failure = 'The mobile-money provider says that the payment failed.';

/**
 * What a transaction under our reference must contain. A reversal goes from the payee back to us, so
 * its creditor is not the payee.
 */
export type ExpectedTransaction = Pick<Payment, 'reference' | 'amount' | 'currency'> &
  Partial<Pick<Payment, 'payee'>> & {
    /** The provider's reference of the payment that is reversed. */
    readonly original?: string;
  };

/** The transaction of a reversal. */
export const expectedReversal = (reversal: PaymentReversal): ExpectedTransaction => ({
  reference: reversal.reference,
  amount: reversal.payment.amount,
  currency: reversal.payment.currency,
  original: reversal.paymentReference,
});

/** The amount in GSMA's format, or undefined where it cannot be represented. */
export const toGsmaAmount = (amount: string): string | undefined =>
  exactAmount(amount, { wholeDigits: 18, decimals: 4 });

/** The body of `POST /transactions/type/disbursement`. */
export function toDisbursement(payment: Payment, amount: string, account: string, now: Date) {
  return {
    amount,
    currency: payment.currency,
    debitParty: [{ key: 'accountid', value: account }],
    creditParty: payment.payee.map(({ key, value }) => ({ key, value })),
    requestingOrganisationTransactionReference: payment.reference,
    descriptionText: payment.description.slice(0, 160),
    requestDate: now.toISOString(),
  };
}

/** The body of `POST /transactions/{transactionReference}/reversals`. */
export function toReversal(reversal: PaymentReversal, amount: string, now: Date) {
  return {
    type: 'reversal',
    amount,
    currency: reversal.payment.currency,
    requestingOrganisationTransactionReference: reversal.reference,
    descriptionText: reversal.description.slice(0, 160),
    requestDate: now.toISOString(),
  };
}

/** A reversal that the provider took back is nothing that we know how to book. */
export const readReversal = (outcome: ProviderOutcome): ProviderOutcome =>
  isReversed(outcome) ? disagreement('The provider took the reversal back.') : outcome;

/** A 401 can be about the payment, and a 401 that is not an error of GSMA's proves nothing: it may have been taken. */
export function judgeToken(answer: HttpAnswer): TokenVerdict {
  if (answer.status !== 401) return 'accepted';
  const error = readJson(errorSchema, answer.body);
  if (error === undefined) return 'doubtful';
  return paymentDeclinedCodes.includes(error.errorcode) ? 'accepted' : 'rejected';
}

/** The provider has a request under our reference, although it does not list it. */
const duplicateOf = (reference: string) =>
  underWay('The provider calls it a duplicate of one that it does not know.', reference);

/** Maps the answer to a payment. That to a duplicate only says where to look. */
export function readPaymentAnswer(
  answer: HttpAnswer,
  payment: ExpectedTransaction,
): ProviderOutcome | DoubtfulAnswer {
  if (answer.status === 429) return tooManyRequests(answer);
  if (judgeToken(answer) === 'rejected') return credentialsRefused;
  if (answer.status >= 200 && answer.status < 300) {
    const state = readRequestState(answer, payment.reference);
    if (state?.kind === 'transaction') {
      const words = 'The provider does not know the payment that it names.';
      return { kind: 'look-up', otherwise: underWay(words, state.reference) };
    }
    return state ?? readTransaction(answer, payment);
  }
  const error = readJson(errorSchema, answer.body);
  const categories = refusalCategories[answer.status] ?? [];
  if (error && categories.includes(error.errorcategory)) return readError(error, payment.reference);
  return unknown(`HTTP status ${answer.status}.`);
}

/**
 * A transaction with a different reference, currency or payee proves nothing.
 *
 * @param isNamed whether it must name our reference, because nothing else says that it is ours
 */
export function readTransaction(
  answer: HttpAnswer,
  ours: ExpectedTransaction,
  isNamed = false,
): ProviderOutcome {
  const found = answer.status < 300 ? readJson(transactionSchema, answer.body) : undefined;
  if (!found) return unknown(`HTTP status ${answer.status}, without a readable transaction.`);
  const { requestingorganisationtransactionreference: named } = found;
  if (!agree(named, ours.reference) || (isNamed && named == null))
    return unknown('The answer is about another payment.');
  const other = differenceOf(found, ours);
  if (other) return otherField('payment', other, found.transactionreference);
  const outcome = readStatus(found);
  return found.amount == null || agree(found.amount, ours.amount, toGsmaAmount)
    ? outcome
    : ofAnotherAmount(outcome, found.amount, 'payment', found.transactionreference);
}

function readStatus({
  transactionstatus: status,
  transactionreference: providerReference,
}: GsmaTransaction): ProviderOutcome {
  if (completedWords.includes(status)) return { kind: 'delivered', providerReference };
  if (reversedWords.includes(status)) return reversed('payment', providerReference);
  if (!failedWords.includes(status)) return undecided(status, providerReference);
  return { kind: 'refused', code: status, message: failure, retryCanHelp: true };
}

/** The name of the deviating field, except the amount; never its value, which may be personal. */
function differenceOf(found: GsmaTransaction, ours: ExpectedTransaction): string | undefined {
  if (!agree(found.currency, ours.currency)) return 'currency';
  if (!agree(found.originaltransactionreference, ours.original)) return 'original transaction';
  return isPaidTo(found.creditparty ?? [], ours.payee ?? []) ? undefined : 'payee';
}

/** Providers may add their own identifiers; identifiers on both sides must be equal. */
const isPaidTo = (theirs: readonly PartyIdentifier[], ours: readonly PartyIdentifier[]): boolean =>
  ours.every(({ key, value }) =>
    theirs
      .filter((one) => one.key.toLowerCase() === key.toLowerCase())
      .every((one) => agree(one.value, value, canonicalIdentifier(key))),
  );

/** How values of a key compare: numbers of phones have several notations. */
const canonicalIdentifier = (key: string) =>
  key.toLowerCase() === 'msisdn'
    ? internationalDigits
    : (value: string): string => value.trim().toLowerCase().replace(/^\+/, '');

/**
 * Undefined where the answer is no request state. A completed state names its transaction. A state need not name its
 * own id: then it has the id of the inquiry, and the answer to a payment has our reference.
 */
export function readRequestState(
  answer: HttpAnswer,
  id: string,
): ProviderOutcome | DoubtfulAnswer | { kind: 'transaction'; reference: string } | undefined {
  const state = answer.status < 300 ? readJson(requestStateSchema, answer.body) : undefined;
  if (!state) return undefined;
  if (completedWords.includes(state.status) && state.objectreference) {
    return { kind: 'transaction', reference: state.objectreference };
  }
  if (!failedWords.includes(state.status))
    return undecided(state.status, state.servercorrelationid ?? state.objectreference ?? id);
  const error = state.error ?? state.errorreference;
  if (error) return readError(error, id);
  return { kind: 'refused', code: state.status, message: failure, retryCanHelp: true };
}

/** A duplicate is never a refusal: the first request may have paid. */
function readError(error: GsmaError, reference: string): ProviderOutcome | DoubtfulAnswer {
  if (error.errorcode === 'duplicateRequest')
    return { kind: 'look-up', otherwise: duplicateOf(reference) };
  return {
    kind: 'refused',
    code: presentableMessage(error.errorcode),
    message: presentableMessage(error.errordescription || error.errorcode),
    retryCanHelp:
      ['serviceunavailable', 'internal'].includes(error.errorcategory) ||
      ['insufficientFunds', 'rateLimitError'].includes(error.errorcode) ||
      error.errorcode.endsWith('LimitExceeded'),
  };
}

/** Only GSMA's own "not found" counts: that of a gateway may come from a wrong address. */
export function saysNeverSeen(answer: HttpAnswer): boolean {
  const error = readJson(errorSchema, answer.body);
  return answer.status === 404 && error?.errorcategory === 'identification';
}

export function readLink(answer: HttpAnswer): LinkedResource | undefined {
  const link = readOk(linkSchema, answer)?.link;
  // With a slash at its end, or with a query, it is the same resource.
  const path = link?.trim().replace(/\/*(?:[?#].*)?$/s, '') ?? '';
  const parts = /(?:^|\/)(transactions|requeststates)\/([\w~-][\w.~-]{0,255})$/i.exec(path);
  const [, collection, id] = parts ?? [];
  if (collection === undefined || id === undefined) return undefined;
  return {
    collection: collection.toLowerCase() === 'transactions' ? 'transactions' : 'requeststates',
    id,
  };
}
