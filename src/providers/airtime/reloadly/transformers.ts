import { z } from 'zod';
import type { Operator } from '../../../domain/phone.ts';
import type { ProviderStatementLine } from '../../../domain/positions/statement-line.ts';
import { isAmountDelivered, presentableMessage } from '../../../domain/providers.ts';
import {
  type DoubtfulAnswer,
  type HttpAnswer,
  looseNumber,
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
  ofAnotherAmount,
  otherField,
  type ProviderOutcome,
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

const identifier = z
  .union([z.string(), z.int().transform(String)])
  .pipe(storedText)
  .nullish()
  .catch(undefined);
/** Enumerations are compared in capitals: SUCCESSFUL, Successful. */
const word = z
  .string()
  .max(200)
  .transform((text) => text.trim().toUpperCase());

/** Anything but a number says nothing. */
const amount = looseNumber.nullish().catch(undefined);

/** The fields of a top-up that we read; its PIN is not read. */
const topupSchema = z.object({
  transactionId: identifier,
  status: word.nullish(),
  operatorTransactionId: identifier,
  customIdentifier: z.string().nullish(),
  recipientPhone: looseText.nullish(),
  requestedAmount: amount,
  requestedAmountCurrencyCode: z.string().nullish(),
  deliveredAmount: amount,
  deliveredAmountCurrencyCode: z.string().nullish(),
  /** `2021-12-06 13:13:39`, in the provider's time. */
  transactionDate: z.string().nullish(),
});

/**
 * The answer of `GET /topups/{transactionId}/status`: the top-up, or its status with the top-up at its end. A status
 * alone may be that of a gateway.
 */
const statusSchema = topupSchema
  .extend({ transaction: topupSchema.nullish() })
  .refine(({ transaction, transactionId }) => transaction !== undefined || transactionId != null);

/** The answer of `GET /topups/reports/transactions`: a page, or in one version a bare list. */
export const pageSchema = z.union([
  z.object({ content: z.array(topupSchema) }),
  z.array(topupSchema).transform((content) => ({ content })),
]);

const errorSchema = z.object({
  errorCode: word,
  message: z.string().catch(''),
});

export const balanceSchema = z.object({ balance: z.number(), currencyCode: z.string() });

export type ReloadlyTopup = z.infer<typeof topupSchema>;

/** Amount and currency of a top-up for the phone, as far as the provider says them. */
export interface DeliveredAmount {
  readonly amount: number | null;
  /** ISO 4217 */
  readonly currency: string | null;
}

const CURRENCY = 'ETB';

/**
 * The amount that the phone got. `requestedAmount` is the charge of the account in its own
 * currency, although the order names birr. It counts only where that currency is ETB. A top-up that
 * was not delivered may say 0, which is no other amount.
 */
export function deliveredAmount(topup: ReloadlyTopup): DeliveredAmount {
  const { deliveredAmount: amount, deliveredAmountCurrencyCode: currency } = topup;
  if (amount === 0 && topup.status !== 'SUCCESSFUL') return { amount: null, currency: null };
  if (amount != null || currency != null)
    return { amount: amount ?? null, currency: currency ?? null };
  return topup.requestedAmountCurrencyCode?.toUpperCase() === CURRENCY
    ? { amount: topup.requestedAmount ?? null, currency: CURRENCY }
    : { amount: null, currency: null };
}

/** Errors that are neither: the order may have been made, or its reference was used before. */
export type ErrorMeaning = 'final' | 'passing' | 'look-up';

/**
 * What an error of `POST /topups-async` means, by its `errorCode` and with a status 4xx. `final` and
 * `passing` are refusals that leave no transaction; of them only the passing ones may disappear. Any
 * other code, and each answer 5xx, leaves the outcome unknown.
 *
 * Source: the provider's list of error codes, and captured answers.
 */
export const errorCodes: Readonly<Record<string, ErrorMeaning>> = {
  INVALID_RECIPIENT_PHONE: 'final',
  INVALID_PHONE_NUMBER: 'final',
  INVALID_SENDER_PHONE: 'final',
  COUNTRY_NOT_SUPPORTED: 'final',
  COULD_NOT_AUTO_DETECT_OPERATOR: 'final',
  OPERATOR_NOT_FOUND: 'final',
  PHONE_BANNED_BY_OPERATOR: 'final',
  INVALID_AMOUNT: 'final',
  INVALID_AMOUNT_FOR_OPERATOR: 'final',
  INVALID_AMOUNT_FOR_RECIPIENT_PHONE: 'final',
  INACTIVE_ACCOUNT: 'passing',
  ACCOUNT_NOT_FOUND: 'passing',
  INSUFFICIENT_BALANCE: 'passing',
  MAX_DAILY_TRANSACTION_COUNT_REACHED: 'passing',
  MAX_DAILY_TRANSACTION_AMOUNT_REACHED: 'passing',
  OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE: 'passing',
  OPERATOR_NOT_IN_SERVICE: 'passing',
  /** The same number again within two minutes: perhaps our own earlier order, so a person decides. */
  PHONE_RECENTLY_RECHARGED: 'final',
  CUSTOM_IDENTIFIER_ALREADY_USED: 'look-up',
  TOPUP_TRANSACTION_FAILED: 'look-up',
  TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT: 'look-up',
  TRANSACTION_FAILED_ON_OPERATOR: 'look-up',
  TRANSACTION_REJECTED_BY_OPERATOR: 'look-up',
  TRANSACTION_REFUSED_BY_OPERATOR: 'look-up',
  RECIPIENT_REACHED_MAX_TOPUP_NUMBER: 'look-up',
  RECIPIENT_HAS_PENDING_TRANSACTION: 'look-up',
};

/** The provider's id of each mobile operator's airtime. */
export type OperatorIds = Readonly<Record<Operator, number>>;

/** The body of `POST /topups-async`; amounts are JSON numbers, here in birr. */
export interface TopupRequest {
  readonly operatorId: number;
  readonly amount: number;
  readonly useLocalAmount: true;
  readonly customIdentifier: string;
  readonly recipientPhone: { readonly countryCode: 'ET'; readonly number: string };
}

/** The body of `POST /topups-async`, or the reason why the provider cannot accept the order. */
export function toTopupRequest(
  { reference, msisdn, product }: AirtimeOrder,
  operatorIds: OperatorIds,
): TopupRequest | { readonly problem: string } {
  if (!hasForm(msisdn, /^\+251[0-9]{9}$/)) return { problem: 'The number is not Ethiopian.' };
  if (reference.length === 0 || reference.length > 40) {
    return { problem: 'The reference has more than 40 characters, or none.' };
  }
  if (product.kind === 'package') return { problem: 'The package is of another provider.' };
  const amount = exactNumber(product.amount);
  if (amount === undefined) return { problem: 'The provider cannot carry this amount.' };
  return {
    operatorId: operatorIds[product.operator],
    amount,
    useLocalAmount: true,
    customIdentifier: reference,
    recipientPhone: { countryCode: 'ET', number: msisdn },
  };
}

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
  if (judgeToken(answer) === 'rejected') return credentialsRefused;
  if (answer.status < 200 || answer.status >= 300)
    return readError(answer, request.customIdentifier);
  const topup = readJson(topupSchema, answer.body);
  if (topup?.transactionId == null) return unreadable(answer);
  return topup.status == null
    ? underWay('The top-up is being processed.', topup.transactionId)
    : readOurs(topup, request);
}

/** Maps the list of top-ups under our reference. An empty list is not definite: see the client. */
export function readFoundOrders(
  answer: HttpAnswer,
  request: TopupRequest,
): ProviderOutcome | { readonly kind: 'not-listed' } {
  const page = readOk(pageSchema, answer);
  if (!page) return unreadable(answer);
  if (page.content.length === 0) return { kind: 'not-listed' };
  // The provider's search ignores case, and a search that ignores the filter lists the latest
  // top-ups.
  const ours = page.content.filter(
    ({ customIdentifier }) => customIdentifier === request.customIdentifier,
  );
  const [topup, ...others] = ours;
  if (!topup) return ofAnother;
  // Its check of references is not atomic.
  if (others.length > 0) return severalTopups(topup.transactionId ?? request.customIdentifier);
  return readOurs(topup, request);
}

/** Maps the status of a top-up that the provider has taken under its own id, which the status may leave out. */
export function readStatus(answer: HttpAnswer, request: TopupRequest, id: string): ProviderOutcome {
  const found = readOk(statusSchema, answer);
  if (!found) return unreadable(answer);
  const topup = found.transaction ?? found;
  return readOurs({ ...topup, transactionId: topup.transactionId ?? id }, request);
}

function readOurs(topup: ReloadlyTopup, request: TopupRequest): ProviderOutcome {
  if (!agree(topup.customIdentifier, request.customIdentifier, (text) => text)) return ofAnother;
  const other = differenceOf(topup, request);
  if (other) return otherField('top-up', other, topup.transactionId);
  const outcome = readTopup(topup, request);
  const { amount } = deliveredAmount(topup);
  return amount === null || isAmountDelivered('reloadly', request.amount, amount)
    ? outcome
    : ofAnotherAmount(outcome, String(amount), 'top-up', topup.transactionId);
}

/**
 * The name of the deviating field, except the amount; never its value, which may be personal. The id
 * of the mobile operator is a setting, which may have changed; amount and number are enough.
 */
function differenceOf(topup: ReloadlyTopup, request: TopupRequest): string | undefined {
  if (!agreeOnNumber(topup.recipientPhone, request.recipientPhone.number)) return 'number';
  return agree(deliveredAmount(topup).currency, CURRENCY) ? undefined : 'currency';
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
    const words = `The status of the top-up is ${presentableMessage(status ?? 'missing')}.`;
    return underWay(words, transactionId);
  }
  return {
    kind: 'refused',
    code: status,
    message: status === 'FAILED' ? 'The top-up failed.' : 'The top-up failed and was refunded.',
    retryCanHelp: false,
  };
}

/** The status of a listed top-up; an unknown status says nothing final. */
export function statusOfTopup({
  status,
  operatorTransactionId,
}: Pick<ReloadlyTopup, 'status' | 'operatorTransactionId'>): ProviderStatementLine['status'] {
  if (status === 'SUCCESSFUL') return 'completed';
  if (status === 'FAILED') return 'failed';
  if (status === 'REFUNDED') return operatorTransactionId == null ? 'failed' : 'reversed';
  return 'pending';
}

function readError(answer: HttpAnswer, reference: string): ProviderOutcome | DoubtfulAnswer {
  const error = readJson(errorSchema, answer.body);
  const isClientError = answer.status >= 400 && answer.status < 500;
  const meaning = error && isClientError ? errorCodes[error.errorCode] : undefined;
  const nothingListed = underWay(
    `HTTP status ${answer.status}${error ? `, ${presentableMessage(error.errorCode)}` : ''}.`,
    // The provider has a top-up under it, although it does not list it.
    error?.errorCode === 'CUSTOM_IDENTIFIER_ALREADY_USED' ? reference : undefined,
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
