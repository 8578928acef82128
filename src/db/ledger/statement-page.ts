import { sql } from 'kysely';
import type { Database } from '../connection.js';
import {
  explanations,
  hasBegun,
  hasNotEnded,
  lineColumns,
  movements,
  type StatementLine,
  type StatementRequest,
  walletBalance,
} from './statement-lines.js';

/** One page of a statement; all amounts are decimal strings. */
export interface StatementPage {
  /** Of the whole range, as are the closing balance and the sums. */
  readonly openingBalance: string;
  readonly closingBalance: string;
  /** Sums of credits and debits, both without a sign. */
  readonly cameIn: string;
  readonly wentOut: string;
  readonly lineCount: number;
  /** Newest first. */
  readonly lines: StatementLine[];
}

/** The sums with one line, or with nulls for an empty page. */
type Row = Omit<StatementPage, 'lines'> & (StatementLine | { readonly id: null });

/**
 * A page of a wallet's statement, read in one SQL statement and so in one snapshot. It computes
 * backwards from the ledger's balance, so that it reads only transfers since the start of the
 * range.
 */
export async function readStatementPage(
  database: Database,
  request: StatementRequest,
  page: { readonly limit: number; readonly offset: number },
): Promise<StatementPage> {
  const ended = hasNotEnded(request);
  const { rows } = await sql<Row>`
    with movement as materialized (
      select * from (${movements(request)}) as movements where ${hasBegun(request)}
    ), sums as (
      select (wallet.balance - coalesce(sum(change), 0))::numeric(20, 6) as "openingBalance",
        (wallet.balance - coalesce(sum(change) filter (where not ${ended}), 0))::numeric(20, 6)
          as "closingBalance",
        coalesce(sum(change) filter (where ${ended} and change > 0), 0)::numeric(20, 6)
          as "cameIn",
        coalesce(-sum(change) filter (where ${ended} and change < 0), 0)::numeric(20, 6)
          as "wentOut",
        count(1) filter (where ${ended}) as "lineCount"
      from (${walletBalance(request)}) as wallet left join movement on true
      group by wallet.balance
    ), line as (
      select movement.*,
        "openingBalance" + sum(change) over (order by created_at, id) as balance
      from movement cross join sums where ${ended}
      order by created_at desc, id desc
      limit ${page.limit}::bigint offset ${page.offset}::bigint
    )
    select sums.*, explained.*
    from sums left join (select ${lineColumns} from line ${explanations}) as explained on true
    order by explained.at desc, explained.id desc`.execute(database);
  const [first] = rows;
  if (!first) throw new Error('A statement always has its sums');
  const { openingBalance, closingBalance, cameIn, wentOut, lineCount } = first;
  const lines = rows.filter((row): row is Row & StatementLine => row.id !== null);
  return { openingBalance, closingBalance, cameIn, wentOut, lineCount, lines };
}
