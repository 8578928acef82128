import type { Payout } from '../books.ts';
import type { GsmaErrorName } from './errors.ts';

/** A validated request for a payout. */
interface PayoutRequest {
  readonly reference: string;
  /** The payee's number or other identifier. */
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
}

interface Rejection {
  readonly error: GsmaErrorName;
  readonly field: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const amountFormat = /^(0|[1-9]\d{0,17})(\.\d{1,4})?$/;

/** Validates a request like the GSMA API; the first problem ends it. */
export function checkPayoutRequest(
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
export function checkReversalRequest(
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
