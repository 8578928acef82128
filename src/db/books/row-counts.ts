import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { RowCountsTable } from '../generated/tables.ts';
import { inSnapshot, readCheckpoints } from './checkpoints.ts';
import { isInHours, moveHours, readHours, settledHoursEnd } from './sums.ts';

/** Lists whose rows are only added, but for what never began: what makes a row a company's. */
const countedLists = {
  vouchers: { company: 'partner_id', companies: 'partners' },
  topups: { company: 'partner_id', companies: 'partners' },
  redemptions: { company: 'merchant_id', companies: 'merchants' },
} as const satisfies Record<RowCountsTable['list'], object>;

type CountedList = keyof typeof countedLists;
const names = Object.keys(countedLists) as CountedList[];

/** A top-up that is refused before it began is deleted: within minutes, or else it is failed by a sweep. */
const HOURS_LATER = 1;
/** Hours that are counted together where many are left, as after a long pause. */
const HOURS_AT_ONCE = 24;

/**
 * Counts the rows that lists of each company have got in the hours that are over, so that no process counts all of
 * them ([decision 24](../../../docs/decisions/0024-lists-apart.md)). If the time is up, the next check
 * continues. Rows are found by the indexes of company and time.
 */
export async function addRowCounts(
  database: Database,
  { endsAt }: { readonly endsAt: number },
): Promise<void> {
  const { checkedTo } = (await readCheckpoints(database))['row-counts'];
  const { first, end: over } = await readHours(database);
  const end = over - HOURS_LATER;
  for (let from = checkedTo; from < end && Date.now() <= endsAt; ) {
    const before = Math.min(Math.max(from, first) + HOURS_AT_ONCE, end);
    const isNew = isInHours(sql`created_at`, from, before);
    await inSnapshot(database, async (transaction) => {
      for (const list of names) await addOf(list, isNew).execute(transaction);
      await moveHours(transaction, 'row-counts', before);
    });
    from = before;
  }
}

function addOf(list: CountedList, isNew: RawBuilder<unknown>) {
  const { company, companies } = countedLists[list];
  return sql`
    insert into row_counts as known (list, company_id, total)
    select ${list}, companies.id, added
    from ${sql.table(companies)} as companies cross join lateral (
      select count(1) as added from ${sql.table(list)}
      where ${sql.ref(company)} = companies.id and ${isNew}) as counted
    where added > 0
    on conflict (list, company_id) do update set total = known.total + excluded.total`;
}

/**
 * How many rows of a company's list were created before a moment, as PostgreSQL writes it: a value that the
 * planner knows, so that only rows since then are read.
 */
export const readRowCount = (
  database: Database,
  list: string,
  companyId: number,
): Promise<{ readonly totalItems: number; readonly addedBefore: string }> =>
  database
    .selectNoFrom([
      sql<number>`coalesce((select total from row_counts
        where list = ${list} and company_id = ${companyId}::bigint), 0)`.as('totalItems'),
      sql<string>`(${settledHoursEnd('row-counts')})::text`.as('addedBefore'),
    ])
    .executeTakeFirstOrThrow();

/** The lists of companies whose number of rows differs from what is kept: one line per fault. */
export async function brokenRowCounts(
  database: Database,
  { batchSize, note }: { readonly batchSize: number; readonly note: (progress: string) => void },
): Promise<string[]> {
  const { kept, before } = await inSnapshot(database, async (snapshot) => ({
    kept: await snapshot.selectFrom('row_counts').selectAll().execute(),
    before: (await readCheckpoints(snapshot))['row-counts'].checkedTo,
  }));
  const faults: string[] = [];
  for (const list of names) {
    const missing = new Map(
      kept.filter((row) => row.list === list).map((row) => [row.company_id, row.total]),
    );
    for await (const { company, rows } of countInBatches(database, {
      list,
      before,
      batchSize,
      note,
    }))
      missing.set(company, (missing.get(company) ?? 0) - rows);
    for (const [company, difference] of missing)
      if (difference !== 0)
        faults.push(
          `I2 the kept count of a list is that of its rows: ${list} of company ${company}`,
        );
  }
  return faults;
}

/** Counts all rows anew from the next check on, as where a list was found to have another number of them. */
export async function restartRowCounts(database: Database): Promise<void> {
  await sql`
    with forgotten as (delete from row_counts)
    update book_checkpoints set checked_to = 0 where source = 'row-counts'`.execute(database);
}

/** Batches of ids have no common snapshot: what was created before the hour changes no more. */
async function* countInBatches(
  database: Database,
  {
    list,
    before,
    batchSize,
    note,
  }: Parameters<typeof brokenRowCounts>[1] & {
    readonly list: CountedList;
    readonly before: number;
  },
): AsyncGenerator<{ readonly company: number; readonly rows: number }> {
  const { company } = countedLists[list];
  for (let after = 0; ; ) {
    const { rows } = await sql<{ company: number; rows: number; last: number }>`
      select ${sql.ref(company)} as company, max(id) as last,
        count(1) filter (where created_at < to_timestamp(${before}::bigint * 3600)) as rows
      from (select id, created_at, ${sql.ref(company)} from ${sql.table(list)}
        where id > ${after} order by id limit ${batchSize}) as batch
      group by 1`.execute(database);
    if (rows.length === 0) return;
    yield* rows;
    after = Math.max(...rows.map(({ last }) => last));
    note(`counts of lists, ${list} ${after}`);
  }
}
