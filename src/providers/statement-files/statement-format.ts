import type { ProviderStatementLine } from '../statement.ts';

/** The columns of a provider's statement as a file. */
export interface StatementFormat {
  /** What a row is whose type says nothing, or that has no column of types. */
  readonly kind: ProviderStatementLine['kind'];
  readonly columns: {
    readonly providerReference: string;
    readonly reference: string;
    readonly status: string;
    readonly amount: string;
    readonly at: string;
    /** Without a column the currency is ETB. */
    readonly currency?: string;
    readonly original?: string;
    readonly type?: string;
    readonly fee?: string;
    readonly feeCurrency?: string;
    /** Who received it: a number, and perhaps a name after it. */
    readonly party?: string;
  };
  /** Rows before the one that names the columns, at most: who holds the account, and for which time. */
  readonly introductoryRows?: number;
  /** Columns that a file may lack. */
  readonly optional: readonly string[];
  /** Statuses in small letters; others are not final. */
  readonly statuses: Readonly<Record<string, ProviderStatementLine['status']>>;
  /**
   * What the rows of a type are: `fee` is what the provider charged, `credit` put money into our account,
   * and `other` took it, where the row has an amount.
   */
  readonly kindOf?: (type: string) => RowKind;
}

type RowKind = ProviderStatementLine['kind'] | 'fee' | 'credit' | 'other';

const kindsOfGsma: Readonly<Record<string, RowKind>> = {
  disbursement: 'payment',
  reversal: 'reversal',
  deposit: 'credit',
  merchantpay: 'credit',
};

/**
 * M-Pesa explains a row in words, as in "Business Payment to 251911234567 - SELAM RECHARGE SHOP". Only
 * the words before the party say what it is: names of parties have words such as fee and reverse. A
 * row that put money in has no amount of what was withdrawn.
 */
function kindOfMpesa(details: string): RowKind {
  const [words = ''] = details.split(/\s(?:to|from)\s|\s\+?\d{4}/i, 1);
  if (/charge|\bfees?\b/i.test(words)) return 'fee';
  if (/\brevers/i.test(words)) return 'reversal';
  return /business payment|salary payment|promotion payment|b2c/i.test(words) ? 'payment' : 'other';
}

/** One row per provider that gives its statement as a file. */
export const statementFormats: Readonly<Record<string, StatementFormat>> = {
  gsma: {
    kind: 'payment',
    columns: {
      providerReference: 'transactionReference',
      reference: 'requestingOrganisationTransactionReference',
      original: 'originalTransactionReference',
      type: 'type',
      status: 'transactionStatus',
      amount: 'amount',
      currency: 'currency',
      fee: 'feeAmount',
      feeCurrency: 'feeCurrency',
      at: 'creationDate',
    },
    optional: ['originalTransactionReference', 'feeAmount', 'feeCurrency'],
    statuses: {
      completed: 'completed',
      success: 'completed',
      successful: 'completed',
      failed: 'failed',
      declined: 'failed',
      rejected: 'failed',
      reversed: 'reversed',
    },
    kindOf: (type) => (type === '' ? 'payment' : (kindsOfGsma[type.toLowerCase()] ?? 'other')),
  },
  mpesa: {
    kind: 'payment',
    columns: {
      providerReference: 'Receipt No.',
      reference: 'Originator Conversation ID',
      original: 'Linked Transaction ID',
      type: 'Details',
      status: 'Transaction Status',
      amount: 'Withdrawn',
      at: 'Completion Time',
      party: 'Other Party Info',
    },
    introductoryRows: 20,
    optional: ['Originator Conversation ID', 'Linked Transaction ID', 'Other Party Info'],
    statuses: {
      completed: 'completed',
      failed: 'failed',
      declined: 'failed',
      reversed: 'reversed',
    },
    kindOf: kindOfMpesa,
  },
  'dt-one': {
    kind: 'top-up',
    columns: {
      providerReference: 'id',
      reference: 'external_id',
      status: 'status',
      amount: 'amount',
      currency: 'unit',
      fee: 'fee',
      feeCurrency: 'fee_unit',
      at: 'creation_date',
    },
    optional: ['fee', 'fee_unit'],
    statuses: {
      completed: 'completed',
      reversed: 'reversed',
      rejected: 'failed',
      cancelled: 'failed',
      declined: 'failed',
    },
  },
  reloadly: {
    kind: 'top-up',
    columns: {
      providerReference: 'transactionId',
      reference: 'customIdentifier',
      status: 'status',
      amount: 'deliveredAmount',
      currency: 'deliveredAmountCurrencyCode',
      fee: 'fee',
      feeCurrency: 'feeCurrencyCode',
      at: 'transactionDate',
    },
    optional: ['fee', 'feeCurrencyCode'],
    statuses: { successful: 'completed', failed: 'failed', refunded: 'reversed' },
  },
};
