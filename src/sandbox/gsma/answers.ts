import { statusOf } from '../accepted-requests.js';
import type { Payout } from '../books.js';
import { errorObject, pascalCase } from './errors.js';

/** The transaction object of a payout. */
export function transactionOf(payout: Payout) {
  const spell = payout.isInPascalCase ? pascalCase : (word: string) => word;
  const { creditParty, debitParty, descriptionText, requestDate } = payout.request;
  return {
    transactionReference: payout.transactionReference,
    transactionStatus: spell(statusOf(payout)),
    type: spell('disbursement'),
    amount: payout.amount,
    currency: payout.currency,
    creditParty,
    debitParty,
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
    notificationMethod: 'polling',
    pollLimit: 100,
    ...(status === 'failed'
      ? { error: errorObject('failed') }
      : { objectReference: payout.transactionReference }),
  };
}
