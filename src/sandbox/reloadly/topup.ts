import { localText } from '../../domain/local-time.ts';
import { statusOf, type TakenStatus } from '../accepted-requests.ts';
import type { Topup } from '../books.ts';
import { ACCOUNT_CURRENCY, ACCOUNT_ZONE, namesOf } from './operators.ts';

/** For one unit of the account's currency. */
const BIRR_OF_THE_ACCOUNT = 153.7;

/** A top-up that the operator never completed was refunded, too, but has no id of the operator. */
const words: Readonly<Record<TakenStatus, string>> = {
  pending: 'PROCESSING',
  completed: 'SUCCESSFUL',
  failed: 'FAILED',
  reversed: 'REFUNDED',
};

const titleCase = (word: string) => word.charAt(0) + word.slice(1).toLowerCase();

/** The status in the spelling of the number's scenario. */
export function wordOf({ behaviour }: Topup, status: TakenStatus): string {
  const word = words[status];
  return behaviour.answer === 'transaction-in-title-case' ? titleCase(word) : word;
}

/**
 * What the account pays in its own currency, and what the phone gets: it is converted from there, as a
 * public sample shows with 3168.4 NGN and 4.9985 GBP for an order of 5 GBP.
 */
function amountsOf({ amount, currency }: Topup) {
  const paid = Number((Number(amount) / BIRR_OF_THE_ACCOUNT).toFixed(4));
  return {
    requestedAmount: paid,
    requestedAmountCurrencyCode: ACCOUNT_CURRENCY,
    deliveredAmount: Number((paid * BIRR_OF_THE_ACCOUNT).toFixed(4)),
    deliveredAmountCurrencyCode: currency,
  };
}

/** A top-up in the format of Reloadly. */
export function topupAnswer(topup: Topup, status: TakenStatus = statusOf(topup)) {
  const { behaviour, product, takenAt } = topup;
  const isDone = status === 'completed' || status === 'reversed';
  return {
    transactionId: Number(topup.transactionId),
    status: wordOf(topup, status),
    operatorTransactionId: isDone ? topup.operatorReference : null,
    customIdentifier: topup.reference,
    recipientPhone: topup.to.slice(1),
    recipientEmail: null,
    senderPhone: null,
    countryCode: 'ET',
    ...namesOf(product),
    discount: 0,
    discountCurrencyCode: ACCOUNT_CURRENCY,
    ...amountsOf(topup),
    transactionDate: localText(takenAt, ACCOUNT_ZONE),
    pinDetail:
      isDone && behaviour.answer === 'transaction-with-pin'
        ? { serial: 191_418, code: 773_709_732_277_102, info1: 'DIAL *805*CODE#' }
        : null,
    balanceInfo: null,
  };
}
