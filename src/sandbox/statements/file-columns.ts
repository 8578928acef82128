import { statusOf, type TakenStatus } from '../accepted-requests.ts';
import type { ListedTransaction } from './provider-lists.ts';

type Columns = Readonly<Record<string, (one: ListedTransaction) => string>>;

const typesOfGsma: Partial<Record<ListedTransaction['kind'], string>> = {
  payment: 'disbursement',
  reversal: 'reversal',
};
const feeOf = ({ fee, taken }: ListedTransaction) => (statusOf(taken) === 'failed' ? '' : fee);
const at = ({ taken }: ListedTransaction) => taken.takenAt.toISOString();

const statusesOfMpesa: Readonly<Record<TakenStatus, string>> = {
  pending: 'Pending',
  completed: 'Completed',
  failed: 'Failed',
  reversed: 'Reversed',
};
const statusesOfDtOne: Readonly<Record<TakenStatus, string>> = {
  pending: 'SUBMITTED',
  completed: 'COMPLETED',
  failed: 'DECLINED',
  reversed: 'REVERSED',
};
const statusesOfReloadly: Readonly<Record<TakenStatus, string>> = {
  pending: 'PROCESSING',
  completed: 'SUCCESSFUL',
  failed: 'FAILED',
  reversed: 'REFUNDED',
};

/** The columns of the files of each provider (docs/reference/providers.md, "Statements"). */
export const fileColumns: Readonly<Record<string, Columns>> = {
  gsma: {
    transactionReference: ({ id }) => id,
    requestingOrganisationTransactionReference: ({ taken }) => taken.reference,
    originalTransactionReference: ({ originalId }) => originalId,
    type: ({ kind, type }) => type ?? typesOfGsma[kind] ?? '',
    transactionStatus: ({ taken }) => statusOf(taken),
    amount: ({ taken }) => taken.amount,
    currency: ({ taken }) => taken.currency,
    feeAmount: feeOf,
    feeCurrency: (one) => (feeOf(one) === '' ? '' : 'ETB'),
    creationDate: at,
  },
  mpesa: {
    'Receipt No.': ({ id }) => id,
    'Completion Time': at,
    Details: ({ kind, taken }) =>
      kind === 'charge' ? 'Business Payment Charge' : `Business Payment to ${taken.to.slice(1)}`,
    'Transaction Status': ({ kind, taken }) =>
      kind === 'charge' ? 'Completed' : statusesOfMpesa[statusOf(taken)],
    Withdrawn: ({ kind, fee, taken }) => (kind === 'charge' ? fee : taken.amount),
    'Other Party Info': ({ taken }) => `${taken.to.slice(1)} - Abebe Kebede`,
    'Originator Conversation ID': ({ kind, taken }) => (kind === 'charge' ? '' : taken.reference),
  },
  'dt-one': {
    id: ({ id }) => id,
    external_id: ({ taken }) => taken.reference,
    status: ({ taken }) => statusesOfDtOne[statusOf(taken)],
    amount: ({ taken }) => taken.amount,
    unit: ({ taken }) => taken.currency,
    creation_date: at,
  },
  reloadly: {
    transactionId: ({ id }) => id,
    customIdentifier: ({ taken }) => taken.reference,
    status: ({ taken }) => statusesOfReloadly[statusOf(taken)],
    deliveredAmount: ({ taken }) => taken.amount,
    deliveredAmountCurrencyCode: ({ taken }) => taken.currency,
    transactionDate: at,
  },
};
