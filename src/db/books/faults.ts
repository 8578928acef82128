import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { BookSource } from './checkpoints.ts';
import {
  type BookFault,
  type BookSubject,
  brokenAccounts,
  brokenSubjects,
  entriesOf,
  type SubjectIds,
} from './invariants.ts';

/** A row to be checked. */
export type ChangedSubject = Pick<BookFault, 'subject' | 'id'>;

/** The sources whose rows are checked: what is read of them. */
const newRows = {
  transfers: sql`select id, operation_id, step from ledger_transfers`,
  vouchers: sql`select id from vouchers`,
  redemptions: sql`select id, voucher_id from redemptions`,
  'status-changes': sql`select id, voucher_id from voucher_status_changes`,
} satisfies Partial<Record<BookSource, RawBuilder<unknown>>>;

export type CheckedSource = keyof typeof newRows;
export const checkedSources = Object.keys(newRows) as CheckedSource[];

/**
 * Of the operations of transfers with one of these steps. Operations have random ids, so looking one up
 * reads a page of its own, which a long history has not in memory: that is done only for transfers that
 * the invariants of the subject add up. An array makes PostgreSQL use the index for any number of rows.
 */
const ofTransfers = (column: RawBuilder<unknown>, steps: readonly string[]) => sql`
  ${column} = any(array(
    select operation_id from row where step = any(${steps}::text[]) or starts_with(step, 'adjust-')))`;

/** What rows of a source are about; a row of several may be checked twice. */
const about: Readonly<Record<CheckedSource, RawBuilder<unknown>>> = {
  transfers: sql`
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
  vouchers: sql`select 'voucher' as subject, id from row`,
  redemptions: sql`
    select 'redemption' as subject, id from row union all select 'voucher', voucher_id from row`,
  'status-changes': sql`select 'voucher' as subject, voucher_id as id from row`,
};

/**
 * What the next rows of a source are about, and the last of their ids; `last` is null after the end.
 */
export async function readNewSubjects(
  transaction: Database,
  source: CheckedSource,
  { after, batchSize }: { readonly after: number; readonly batchSize: number },
): Promise<{ last: number | null; subjects: ChangedSubject[] }> {
  const { rows } = await sql<{ last: number | null; subjects: ChangedSubject[] | null }>`
    with row as materialized (
      ${newRows[source]} where id > ${after} order by id limit ${batchSize})
    select (select max(id) from row) as last,
      (select json_agg(distinct jsonb_build_object('subject', subject, 'id', id))
        from (${about[source]}) as subjects) as subjects`.execute(transaction);
  return { last: rows[0]?.last ?? null, subjects: rows[0]?.subjects ?? [] };
}

/** How many changes wait for a check. */
export async function countChanges(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from unchecked_changes`.execute(database);
  return rows[0]?.count ?? 0;
}

/**
 * Takes a batch of the changes that triggers have written, adds what they moved to the holdings, and
 * returns what they are about and their number.
 */
export async function takeChanges(
  transaction: Database,
  batchSize: number,
): Promise<{ taken: number; subjects: ChangedSubject[] }> {
  const { rows } = await sql<{ taken: number; subjects: ChangedSubject[] | null }>`
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
      (select json_agg(distinct jsonb_build_object('subject', subject, 'id', id)) from (
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
  `.execute(transaction);
  return { taken: rows[0]?.taken ?? 0, subjects: rows[0]?.subjects ?? [] };
}

/** Puts rows back among those that the next check looks at. */
export async function putBack(
  transaction: Database,
  subjects: readonly ChangedSubject[],
): Promise<void> {
  if (subjects.length === 0) return;
  await sql`
    insert into unchecked_changes (subject, id)
    select distinct subject, id from unnest(${subjects.map(({ subject }) => subject)}::text[],
      ${subjects.map(({ id }) => id)}::bigint[]) as subjects (subject, id)`.execute(transaction);
}

/** The rows by what they are. */
export function idsOf(subjects: readonly ChangedSubject[]): SubjectIds {
  const ids = new Map<BookSubject, number[]>();
  for (const { subject, id } of subjects) {
    const some = ids.get(subject);
    if (some) some.push(id);
    else ids.set(subject, [id]);
  }
  return Object.fromEntries(
    [...ids].map(([subject, some]) => [subject, sql`= any(${some}::bigint[])`]),
  );
}

/** Changes that a reading of the known faults looks at: faulty ones are few, new ones wait for minutes. */
const LOOKED_AT = 10_000;

/** Compares the balances with the sums, and what is not in those yet; reads in one snapshot. */
export async function compareAccounts(transaction: Database): Promise<string[]> {
  const checkpoints = await transaction
    .selectFrom('book_checkpoints')
    .select(['source', 'checked_to'])
    .execute();
  const after = (source: 'sums' | 'holdings') =>
    checkpoints.find((one) => one.source === source)?.checked_to ?? 0;
  return brokenAccounts(transaction, {
    entries: sql`
      select account_id, amount from checked_balances
      union all ${entriesOf(sql`> ${after('sums')}`)}`,
    holdings: sql`
      select partner_id, remaining, held from checked_holdings
      union all
      select partner_id, amount, 0 from vouchers where id > ${after('holdings')}
      union all
      select partner_id, remaining, held from unchecked_changes where partner_id is not null`,
  });
}

/** The faults of the books, as far as they are known. */
export interface KnownFaults {
  /** One line each. */
  readonly faults: readonly string[];
  /** False while the sums of accounts are added up anew, so that balances cannot be compared. */
  readonly areBalancesCompared: boolean;
}

/**
 * The faults of the books as a snapshot sees them: of the accounts, and of what the checks found faulty
 * or have yet to look at. Only reads, and costs no more than what is new.
 */
export async function readKnownFaults(snapshot: Database): Promise<KnownFaults> {
  const { rows } = await sql<ChangedSubject>`
    select distinct subject, id from (
      select subject, id from unchecked_changes limit ${LOOKED_AT}) as changes`.execute(snapshot);
  const faults = await brokenSubjects(snapshot, idsOf(rows));
  const { rows: addedUp } = await sql`
    select from book_checkpoints where source = 'holdings' and checked_to >= 0`.execute(snapshot);
  const areBalancesCompared = addedUp.length > 0;
  const accounts = areBalancesCompared ? await compareAccounts(snapshot) : [];
  return {
    faults: [...new Set([...accounts, ...faults.map(({ line }) => line)])],
    areBalancesCompared,
  };
}
