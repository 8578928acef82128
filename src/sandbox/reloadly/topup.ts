import { statusOf, type TakenStatus } from '../accepted-requests.js';
import type { Topup } from '../books.js';
import { namesOf } from './operators.js';

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

/** `2021-12-06 13:13:39`, in UTC. */
const timeOf = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');

/** A top-up in the format of Reloadly. */
export function topupAnswer(topup: Topup, status: TakenStatus = statusOf(topup)) {
  const { behaviour, product, takenAt } = topup;
  const isDone = status === 'completed' || status === 'reversed';
  const amount = Number(topup.amount);
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
    discountCurrencyCode: 'ETB',
    requestedAmount: amount,
    requestedAmountCurrencyCode: 'ETB',
    deliveredAmount: amount,
    deliveredAmountCurrencyCode: 'ETB',
    transactionDate: timeOf(takenAt),
    pinDetail:
      isDone && behaviour.answer === 'transaction-with-pin'
        ? { serial: 191_418, code: 773_709_732_277_102, info1: 'DIAL *805*CODE#' }
        : null,
    balanceInfo: null,
  };
}
