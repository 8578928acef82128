import { sql } from 'kysely';
import { inSnapshot } from '../books/in-snapshot.ts';
import type { Database } from '../connection.ts';
import { ownMovements } from './own-movements.ts';
import {
  explanations,
  lineColumns,
  type StatementLine,
  type StatementRequest,
} from './statement-lines.ts';
import { nextMovements } from './wallet-transactions.ts';

/** What a range of a wallet adds up to; all amounts are decimal strings. */
interface StatementSums {
  readonly openingBalance: string;
  readonly closingBalance: string;
  /** Sums of credits and debits, both without a sign. */
  readonly cameIn: string;
  readonly wentOut: string;
  readonly lineCount: number;
}

/** One page of a statement. The sums are those of the whole range. */
export interface StatementPage extends StatementSums {
  /** Newest first. */
  readonly lines: StatementLine[];
}

/** Lines of a range that pages reach: a page reads the lines of those before it, too. */
export const REACHED_LINES = 50_000;

/**
 * A page of a wallet's statement, in one snapshot. The sums come from those of days. The lines are read along
 * indexes, from the newest of the range to the last of the page, so that neither grows with the range.
 *
 * @throws where the page begins after `REACHED_LINES`
 */
export const readStatementPage = (
  database: Database,
  request: StatementRequest,
  page: { readonly limit: number; readonly offset: number },
): Promise<StatementPage> =>
  inSnapshot(database, async (snapshot) => {
    if (page.offset >= REACHED_LINES) throw new Error('The page is too far from the newest line');
    const sums = await readSums(snapshot, request);
    return { ...sums, lines: await readLines(snapshot, request, { ...page, ...sums }) };
  });

/** Balances are computed backwards from those of the ledger. */
async function readSums(
  snapshot: Database,
  { partnerId, wallet, from, before }: StatementRequest,
): Promise<StatementSums> {
  const begin = sql`coalesce(${from ?? null}::timestamptz, '-infinity')`;
  // Nothing has the time of the future, and days that have no end are those of the sums.
  const end = sql`(case when ${before ?? null}::timestamptz <= now() then ${before ?? null}::timestamptz
    else 'infinity' end)`;
  const { rows } = await sql<StatementSums>`
    with ${ownMovements({ partnerId, wallets: [wallet] }, begin, end)}, change as (
      select change, count, created_at < ${end} as is_within from own
    )
    select (wallet.balance - coalesce(sum(change), 0))::numeric(20, 6) as "openingBalance",
      (wallet.balance - coalesce(sum(change) filter (where not is_within), 0))::numeric(20, 6)
        as "closingBalance",
      coalesce(sum(change) filter (where is_within and change > 0), 0)::numeric(20, 6) as "cameIn",
      coalesce(-sum(change) filter (where is_within and change < 0), 0)::numeric(20, 6) as "wentOut",
      coalesce(sum(count) filter (where is_within), 0)::bigint as "lineCount"
    from (select coalesce(sum(balance), 0) as balance from account) as wallet
    left join change on true
    group by wallet.balance`.execute(snapshot);
  const [sums] = rows;
  if (!sums) throw new Error('A statement always has its sums');
  return sums;
}

async function readLines(
  snapshot: Database,
  { partnerId, wallet, from, before }: StatementRequest,
  page: Pick<StatementSums, 'closingBalance'> & { readonly limit: number; readonly offset: number },
): Promise<StatementLine[]> {
  const movements = nextMovements({
    ...{ partnerId, wallets: [wallet], from, to: before, order: 'newest', after: undefined },
    limit: page.offset + page.limit,
  });
  const { rows } = await sql<StatementLine>`
    with ${movements}, line as (
      select *, ${page.closingBalance}::numeric - coalesce(sum(change) over (
        order by created_at desc, id desc
        rows between unbounded preceding and 1 preceding), 0) as balance
      from movement
      order by created_at desc, id desc
      limit ${page.limit}::bigint offset ${page.offset}::bigint
    )
    select ${lineColumns} from line ${explanations}
    order by line.created_at desc, line.id desc`.execute(snapshot);
  return rows;
}
