import type { Generated } from 'kysely';
import type { Day } from '../../domain/day-report.ts';
import type { PlacementKind } from '../../domain/positions/placement.ts';
import type { Json, Numeric, Timestamp } from './columns.ts';

/** The statement of a provider for a day. */
export interface ProviderStatementsTable {
  provider: string;
  day: Day;
  created_at: Timestamp;
  /** TRYING: it is read again; FAILED: for a person. TOO_MANY: it differs more often than one books without an operator. */
  state: 'TRYING' | 'FAILED' | 'TOO_MANY' | 'COMPARED';
  source: 'api' | 'file' | null;
  load_id: string | null;
  line_count: Generated<number>;
  /** Transactions that took nothing from our account, and are no lines. */
  ignored_count: Generated<number>;
  loaded_at: Timestamp | null;
  compared_at: Timestamp | null;
  failing_since: Timestamp | null;
  failure: string | null;
  /** Lines, and orders of ours without one, that are not explained yet. */
  unexplained: Generated<number>;
  /** Fees by currency; decimal strings. */
  fees: Json<Readonly<Record<string, string>>>;
  booked_fee: Generated<Numeric>;
  /** Transfers of its fee, corrections included. */
  fee_transfers: Generated<number>;
}

/** A line of a statement, without its party. */
export interface ProviderStatementLinesTable {
  load_id: string;
  kind: PlacementKind;
  provider_reference: string;
  provider: string;
  day: Day;
  created_at: Timestamp;
  reference: string | null;
  status: 'completed' | 'pending' | 'failed' | 'reversed';
  amount: Numeric | null;
  currency: string | null;
  fee: Numeric | null;
  fee_currency: string | null;
  at: Timestamp;
  /** Of a kind that we order nothing of, such as a transfer. */
  is_other: Generated<boolean>;
}

/** A reading of our balance at a provider. */
export interface ProviderBalancesTable {
  provider: string;
  currency: string;
  amount: Numeric;
  read_at: Timestamp;
}
