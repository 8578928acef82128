import type { GeneratedAlways } from 'kysely';
import type { Timestamp } from './columns.ts';

/** What M-Pesa told about a payment, or answered to an inquiry about it. */
export interface MpesaResultsTable {
  id: GeneratedAlways<number>;
  received_at: Timestamp;
  /** Our reference of the payment. */
  reference: string;
  kind: 'payment' | 'inquiry';
  /** One for each request to the provider. */
  conversation_id: string;
  result_code: string;
  description: string;
  /** What an inquiry says of the payment. */
  transaction_status: string | null;
  receipt: string | null;
  /** What the provider has, if it is not what we sent. */
  difference: 'reference' | 'amount' | 'payee' | null;
  /** When an inquiry of ours was answered with it. */
  used_at: Timestamp | null;
}
