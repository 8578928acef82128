import type { Payout, PayoutReversal } from '../books.ts';
import { type SandboxReply, statusOf, type TakenStatus } from '../requests.ts';
import { PAYOUT_FEE } from '../statements.ts';

/** The error answers of the GSMA API: HTTP status, category, code and description. */
const errors = {
  noSuchAccount: [404, 'identification', 'identifierError', 'The payee account does not exist'],
  accountBarred: [400, 'businessRule', 'incorrectState', 'The payee account is barred'],
  incorrectState: [400, 'businessRule', 'incorrectState', 'The payment cannot be reversed'],
  declined: [401, 'authorisation', 'requestDeclined', 'The payment was declined'],
  duplicate: [400, 'businessRule', 'duplicateRequest', 'The request was received before'],
  failed: [503, 'serviceUnavailable', 'genericError', 'The operator could not make the payment'],
  internal: [500, 'internal', 'genericError', 'An internal error occurred'],
  unavailable: [503, 'serviceUnavailable', 'genericError', 'The service is unavailable'],
  notAuthorised: [401, 'authorisation', 'clientAuthorisationError', 'The token is not valid'],
  notFound: [404, 'identification', 'identifierError', 'There is nothing under this identifier'],
  format: [400, 'validation', 'formatError', 'A value is missing, or has the wrong format'],
} as const satisfies Record<string, readonly [number, string, string, string]>;

type GsmaErrorName = keyof typeof errors;

/** The error object in the format of the OpenAPI document. */
export function errorObject(name: GsmaErrorName, field?: string) {
  const [, errorCategory, errorCode, words] = errors[name];
  const errordescription = field ? `${words}: ${field}` : words;
  return { errorCategory, errorCode, errordescription, errorDateTime: new Date().toISOString() };
}

/** An error as the whole answer; `field` names its cause. */
export const errorReply = (name: GsmaErrorName, field?: string): SandboxReply => ({
  status: errors[name][0],
  body: errorObject(name, field),
});

/**
 * The transaction object of a payout, or of its reversal, whose parties change places; `status` is of
 * another time than now.
 */
export function transactionOf(
  payout: Payout | PayoutReversal,
  status: TakenStatus = statusOf(payout),
) {
  const { descriptionText, requestDate } = payout.request;
  return {
    transactionReference: payout.transactionReference,
    transactionStatus: status,
    ...('original' in payout
      ? {
          type: 'reversal',
          originalTransactionReference: payout.original.transactionReference,
          creditParty: payout.original.request.debitParty,
          debitParty: payout.original.request.creditParty,
        }
      : {
          type: 'disbursement',
          creditParty: payout.request.creditParty,
          debitParty: payout.request.debitParty,
        }),
    amount: payout.amount,
    currency: payout.currency,
    ...('original' in payout || statusOf(payout) === 'failed'
      ? {}
      : {
          fees: [{ feeType: 'Transaction fee', feeAmount: PAYOUT_FEE, feeCurrency: 'ETB' }],
        }),
    descriptionText,
    requestDate,
    requestingOrganisationTransactionReference: payout.reference,
    creationDate: payout.takenAt.toISOString(),
    modificationDate: payout.takenAt.toISOString(),
  };
}

/** The request state of a payout, for asynchronous requests. */
export function requestStateOf(payout: Payout) {
  const status = statusOf(payout);
  return {
    serverCorrelationId: payout.serverCorrelationId,
    status: status === 'reversed' ? 'completed' : status,
    notificationMethod: payout.callbackUrl === undefined ? 'polling' : 'callback',
    pollLimit: 100,
    ...(status === 'failed'
      ? { error: errorObject('failed') }
      : { objectReference: payout.transactionReference }),
  };
}
