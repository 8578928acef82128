import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';
import {
  explanations,
  hasBegun,
  hasNotEnded,
  lineColumns,
  movements,
  type StatementLine,
  type StatementRequest,
  walletBalance,
} from './statement-lines.ts';

/** All amounts are decimal strings. */
export interface Statement {
  readonly openingBalance: string;
  readonly lines: StatementLine[];
  readonly closingBalance: string;
  /** The sum of all transfers of the wallet, regardless of the range. */
  readonly total: string;
  /** The balance of the wallet in the database; a difference from `total` is a fault. */
  readonly ledgerBalance: string;
}

/**
 * The statement of a partner's wallet, summed up from its beginning and read in one snapshot. Lines
 * are in the order of their times, which are the start times of their transactions.
 */
export const readStatement = (database: Database, request: StatementRequest): Promise<Statement> =>
  database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const sums = await readSums(transaction, request);
      const lines = await readLines(transaction, request, sums.openingBalance);
      return { ...sums, lines, closingBalance: lines.at(-1)?.balance ?? sums.openingBalance };
    });

async function readSums(transaction: DatabaseTransaction, request: StatementRequest) {
  const { rows } = await sql<{ opening: string; total: string; balance: string }>`
    select
      coalesce(sum(change) filter (where not ${hasBegun(request)}), 0)::numeric(20, 6) as opening,
      coalesce(sum(change), 0)::numeric(20, 6) as total,
      (${walletBalance(request)}) as balance
    from (${movements(request)}) as movements`.execute(transaction);
  const { opening = '0', total = '0', balance = '0' } = rows[0] ?? {};
  return { openingBalance: opening, total, ledgerBalance: balance };
}

async function readLines(
  transaction: DatabaseTransaction,
  request: StatementRequest,
  openingBalance: string,
): Promise<StatementLine[]> {
  const { rows } = await sql<StatementLine>`
    select ${lineColumns}
    from (
      select *, ${openingBalance}::numeric + sum(change) over (order by created_at, id) as balance
      from (${movements(request)}) as movements
      where ${hasBegun(request)} and ${hasNotEnded(request)}
    ) as line
    ${explanations}
    order by line.created_at, line.id`.execute(transaction);
  return rows;
}
