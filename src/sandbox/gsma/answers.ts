import { statusOf, type TakenStatus } from '../accepted-requests.ts';
import type { Payout, PayoutReversal } from '../books.ts';
import { PAYOUT_FEE } from '../statements/payout-fee.ts';
import { errorObject, pascalCase } from './errors.ts';

/**
 * The transaction object of a payout, or of its reversal, whose parties change places; `status` is of
 * another time than now.
 */
export function transactionOf(
  payout: Payout | PayoutReversal,
  status: TakenStatus = statusOf(payout),
) {
  const spell = payout.isInPascalCase ? pascalCase : (word: string) => word;
  const { descriptionText, requestDate } = payout.request;
  return {
    transactionReference: payout.transactionReference,
    transactionStatus: spell(status),
    ...('original' in payout
      ? {
          type: spell('reversal'),
          originalTransactionReference: payout.original.transactionReference,
          creditParty: payout.original.request.debitParty,
          debitParty: payout.original.request.creditParty,
        }
      : {
          type: spell('disbursement'),
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
