import { sql } from 'kysely';
import { allRows, type Database, firstValue, onlyRow, type Sql } from '../connection.ts';
import { givenRows } from '../given-rows.ts';
import { type BookFault, brokenSubjects, type SubjectIds } from './invariants.ts';
import { type BookSource, type BookSpan, byId, type Followed } from './rollup.ts';
import { compareSums } from './sums.ts';

/** A row to be checked. */
export type ChangedSubject = Pick<BookFault, 'subject' | 'id'>;

/**
 * Of the operations of transfers with one of these steps. Operations have random ids, so looking
 * one up reads a page that a long history does not have in memory. Only transfers that the
 * invariants of the subject add up are looked up. An array makes PostgreSQL use the index for any
 * number of rows.
 */
const ofTransfers = (column: Sql, steps: readonly string[]) => sql`
  ${column} = any(array(
    select operation_id from row where step = any(${steps}::text[]) or starts_with(step, 'adjust-')))`;

/** A source whose new rows are checked. */
interface CheckedSource {
  readonly table: 'ledger_transfers' | 'vouchers' | 'redemptions' | 'voucher_status_changes';
  readonly columns: Sql;
  /** The subject of its rows; a row of several sources may be checked twice. */
  readonly about: Sql;
}

const sources: Readonly<Partial<Record<BookSource, CheckedSource>>> = {
  transfers: {
    table: 'ledger_transfers',
    columns: sql`id, operation_id, step`,
    about: sql`
      select 'transfer' as subject, id from row
      union all
      select 'redemption', id from redemptions
      where ${ofTransfers(sql`operation_id`, ['post-payment', 'post-service-fee'])}
      union all
      select 'top-up', topup_id from topup_attempts where ${ofTransfers(sql`operation_id`, ['post'])}
      union all
      select 'placement', id from placements
      where reference = any(array(
        select substring(operation_id from '^recovered:(.+)$') from row
        where starts_with(operation_id, 'recovered:')))`,
  },
  vouchers: {
    table: 'vouchers',
    columns: sql`id`,
    about: sql`select 'voucher' as subject, id from row`,
  },
  redemptions: {
    table: 'redemptions',
    columns: sql`id, voucher_id`,
    about: sql`
      select 'redemption' as subject, id from row union all select 'voucher', voucher_id from row`,
  },
  'status-changes': {
    table: 'voucher_status_changes',
    columns: sql`id, voucher_id`,
    about: sql`select 'voucher' as subject, voucher_id as id from row`,
  },
};

/** A source, and what its rows of a span are about. */
export interface CheckedRows extends Followed {
  read(transaction: Database, span: BookSpan): Promise<ChangedSubject[]>;
}

/** All sources whose new rows are checked, so many rows at once. */
export const checkedRows = (batchSize: number): CheckedRows[] =>
  Object.entries(sources).map(([source, { table, columns, about }]) => ({
    source: source as BookSource,
    watermark: byId(table, batchSize),
    async read(transaction, { after, to }) {
      return await firstValue<ChangedSubject[]>(transaction, [])`
        with row as materialized (
          select ${columns} from ${sql.table(table)} where id > ${after} and id <= ${to})
        select json_agg(distinct jsonb_build_object('subject', subject, 'id', id)) as subjects
        from (${about}) as subjects`;
    },
  }));

/** The number of changes that wait for a check. */
export const countChanges = (database: Database) =>
  firstValue<number>(database, 0)`
    select count(*) as count from unchecked_changes`;

/**
 * Takes a batch of the changes that triggers have written, and adds their amounts to the holdings.
 * Returns their subjects and their number.
 */
export const takeChanges = (transaction: Database, batchSize: number) =>
  onlyRow<{ taken: number; subjects: ChangedSubject[] }>(transaction)`
    with taken as (
      delete from unchecked_changes
      where ctid = any(array(select ctid from unchecked_changes limit ${batchSize}))
      returning subject, id, partner_id, remaining, held
    ), moved as (
      insert into checked_holdings as holding (partner_id, remaining, held)
      select partner_id, sum(remaining), sum(held) from taken
      where partner_id is not null group by partner_id
      on conflict (partner_id) do update set remaining = holding.remaining + excluded.remaining,
        held = holding.held + excluded.held)
    select (select count(*) from taken) as taken,
      (select coalesce(json_agg(distinct jsonb_build_object('subject', subject, 'id', id)), '[]') from (
        select subject, id from taken
        -- A redemption is a part of its voucher, and a placement one of its order.
        union all select 'voucher', voucher_id
          from taken join redemptions using (id) where subject = 'redemption'
        union all select 'redemption', redemptions.id
          from taken join placements using (id) join redemptions using (operation_id)
          where subject = 'placement'
        union all select 'top-up', topup_id
          from taken join placements using (id) join topup_attempts using (operation_id)
          where subject = 'placement') as subjects) as subjects
  `;

/** Puts rows back among those that the next check looks at. */
export async function putBack(
  transaction: Database,
  subjects: readonly ChangedSubject[],
): Promise<void> {
  if (subjects.length === 0) return;
  await sql`
    insert into unchecked_changes (subject, id)
    select distinct subject, id from ${givenRows({ subject: 'text', id: 'bigint' }, subjects)}`.execute(
    transaction,
  );
}

/** The SQL of the rows to be checked, by their subjects. */
export function idsOf(subjects: readonly ChangedSubject[]): SubjectIds {
  return Object.fromEntries(
    [...Map.groupBy(subjects, ({ subject }) => subject)].map(([subject, some]) => [
      subject,
      sql`= any(${some.map(({ id }) => id)}::bigint[])`,
    ]),
  );
}

/** Changes that a reading of the known faults looks at: faulty ones are few, new ones wait for minutes. */
const LOOKED_AT = 10_000;

/** The faults of the books, as far as they are known. */
export interface KnownFaults {
  /** One line each. */
  readonly faults: readonly string[];
  /** False while sums are to be added up again, so that balances cannot be compared. */
  readonly areBalancesCompared: boolean;
}

/**
 * The faults of the books as a snapshot sees them: of the accounts, and of what the checks found faulty
 * or have yet to look at. Only reads, and costs no more than what is new.
 */
export async function readKnownFaults(snapshot: Database): Promise<KnownFaults> {
  const rows = await allRows<ChangedSubject>(snapshot)`
    select distinct subject, id from (
      select subject, id from unchecked_changes limit ${LOOKED_AT}) as changes`;
  const faults = await brokenSubjects(snapshot, idsOf(rows));
  const ofSums = await compareSums(snapshot);
  return {
    faults: [...new Set([...(ofSums ?? []), ...faults.map(({ line }) => line)])],
    areBalancesCompared: ofSums !== undefined,
  };
}
