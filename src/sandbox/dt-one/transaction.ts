import { statusOf, type TakenStatus } from '../accepted-requests.ts';
import type { Topup } from '../books.ts';
import { productAnswer } from './products.ts';

/** Ids of status classes by name. */
const classIds = {
  CONFIRMED: 2,
  SUBMITTED: 5,
  COMPLETED: 7,
  REVERSED: 8,
  DECLINED: 9,
} as const;

const classes: Readonly<Record<TakenStatus, keyof typeof classIds>> = {
  pending: 'SUBMITTED',
  completed: 'COMPLETED',
  failed: 'DECLINED',
  reversed: 'REVERSED',
};

/** USD per ETB, for the wholesale price. */
const wholesaleRate = 0.008;

/** COMPLETED is Completed, and RANGED_VALUE_RECHARGE is Ranged_Value_Recharge. */
const titleCase = (word: string): string =>
  word.toLowerCase().replace(/(^|[_-])[a-z]/g, (start) => start.toUpperCase());

/** A transaction in the format of DT One; `isFirst` right after its confirmation. */
export function transactionOf(
  topup: Topup,
  { status = statusOf(topup), isFirst = false }: { status?: TakenStatus; isFirst?: boolean } = {},
) {
  const { behaviour, product, takenAt } = topup;
  const spell =
    behaviour.answer === 'transaction-in-title-case' ? titleCase : (word: string) => word;
  const amount = Number(topup.amount);
  const name = isFirst && status === 'pending' ? 'CONFIRMED' : classes[status];
  const isDone = status === 'completed' || status === 'reversed';
  const reason = status === 'failed' && behaviour.reason ? `-${behaviour.reason}` : '';
  return {
    id: Number(topup.transactionId),
    external_id: topup.reference,
    creation_date: takenAt.toISOString(),
    confirmation_expiration_date: new Date(takenAt.getTime() + 3_600_000).toISOString(),
    confirmation_date: takenAt.toISOString(),
    status: {
      // The ids of the detailed statuses are not documented; those of the classes are.
      id: classIds[name] * 10_000,
      message: spell(`${name}${reason}`),
      class: { id: classIds[name], message: spell(name) },
    },
    operator_reference: isDone ? topup.operatorReference : null,
    pin:
      isDone && behaviour.answer === 'transaction-with-pin'
        ? { code: '7281-4439-0162', serial: '000128734' }
        : null,
    product: productAnswer(product, spell),
    prices: {
      wholesale: {
        unit_type: spell('CURRENCY'),
        unit: 'USD',
        amount: Number((amount * wholesaleRate).toFixed(4)),
        fee: 0,
      },
      retail: null,
    },
    rates: { base: wholesaleRate, wholesale: wholesaleRate, retail: null },
    benefits: productAnswer(product, spell).benefits,
    promotions: null,
    requested_values: {
      source: null,
      destination: { unit_type: spell('CURRENCY'), unit: topup.currency, amount },
    },
    adjusted_values: null,
    sender: null,
    beneficiary: null,
    debit_party_identifier: null,
    credit_party_identifier: { mobile_number: topup.to },
    statement_identifier: null,
    additional_identifier: null,
  };
}
