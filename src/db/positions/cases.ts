import { type Insertable, sql } from 'kysely';
import type { CaseWhy } from '../../domain/positions/case-texts.ts';
import type { Bearer, Difference } from '../../domain/positions/position.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { companyColumn } from '../catalogue/companies.ts';
import {
  allRows,
  changedRows,
  type Database,
  type DatabaseTransaction,
  hasRows,
  onlyRow,
  type Sql,
} from '../connection.ts';
import type { CasesTable } from '../generated/tables.ts';
import { staffName } from '../people/accounts.ts';
import { limitedTo, type RowPage } from '../row-page.ts';
import { differingOf, type LockedOrder, lostOperationId, type OpenCase } from './orders.ts';

/** Something that a person must settle. */
export interface Case {
  readonly id: number;
  readonly subjectKind: 'order' | 'line' | 'statement' | 'balance';
  readonly subject: string;
  readonly why: CaseWhy;
  /** Of an order, while the case is open; null where nothing is in suspense. */
  readonly difference: Difference | null;
  /** Decimal string: what is in suspense, or in question. */
  readonly amount: string;
  readonly message: string | null;
  readonly provider: string | null;
  /** Ours, towards the provider. */
  readonly reference: string | null;
  readonly partnerId: number | null;
  readonly partner: string | null;
  readonly merchantId: number | null;
  readonly merchant: string | null;
  readonly voucherId: number | null;
  readonly serialNumber: string | null;
  readonly topupId: number | null;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  /** Null where it ended by itself. */
  readonly closedBy: string | null;
  /** The name of the person who closed the case, for a person of the service. */
  readonly closer: string | null;
  readonly note: string | null;
  /** Null where nothing was in suspense, or the case ended by itself. */
  readonly borneBy: Bearer | null;
}

/** Opens, changes and closes the cases of a locked order, so that exactly the wanted one is open. */
export async function openOrCloseCase(
  transaction: DatabaseTransaction,
  order: LockedOrder,
  wanted:
    | Pick<Insertable<CasesTable>, 'why' | 'difference' | 'amount' | 'message' | 'is_blocking'>
    | undefined,
): Promise<void> {
  const isOther = (one: OpenCase) => one.why !== wanted?.why || one.subject !== order.operationId;
  const others = order.cases.filter(isOther);
  if (others.length > 0)
    await sql`
      update cases set closed_at = now() where id = any(${others.map(({ id }) => id)}::bigint[])`.execute(
      transaction,
    );
  if (!wanted) return;
  const { operationId, reference, partnerId, merchantId, voucherId, topupId } = order;
  await openCase(transaction, {
    ...wanted,
    subject_kind: 'order',
    subject: operationId,
    provider: differingOf(order).provider,
    reference,
    partner_id: partnerId,
    merchant_id: merchantId,
    voucher_id: voucherId,
    topup_id: topupId,
  });
}

/** Opens a case; an open one for the same reason says what the new one would. */
export async function openCase(database: Database, opened: Insertable<CasesTable>): Promise<void> {
  await database
    .insertInto('cases')
    .values(opened)
    .onConflict((conflict) =>
      conflict
        .columns(['subject_kind', 'subject', 'why'])
        .where('closed_at', 'is', null)
        .doUpdateSet(({ ref }) => ({
          difference: ref('excluded.difference'),
          amount: ref('excluded.amount'),
          message: ref('excluded.message'),
          provider: ref('excluded.provider'),
          is_blocking: ref('excluded.is_blocking'),
        })),
    )
    .execute();
}

/** Records that what a provider has decided about an order on hold cannot be booked. */
export async function noteUnbooked(database: Database, operationId: string): Promise<void> {
  await sql`
    insert into cases (subject_kind, subject, why, amount, provider, reference, partner_id,
      merchant_id, voucher_id, topup_id)
    select 'order', placed.operation_id, 'unbooked', ordered, provider, placed.reference,
      coalesce(vouchers.partner_id, topups.partner_id), redemptions.merchant_id,
      redemptions.voucher_id, try.topup_id
    from placements as placed
    left join redemptions on redemptions.operation_id = placed.operation_id
    left join vouchers on vouchers.id = redemptions.voucher_id
    left join topup_attempts as try on try.operation_id = placed.operation_id
    left join topups on topups.id = try.topup_id
    where placed.operation_id = ${operationId} and placed.kind <> 'reversal'
      and 'HELD' in (redemptions.status, try.status)
    order by position desc limit 1
    on conflict (subject_kind, subject, why) where closed_at is null do nothing`.execute(database);
}

/** How a case was settled. */
export interface CaseEnd {
  readonly actor: string;
  readonly note: string;
  /** Null where nothing was in suspense. */
  readonly borneBy: Bearer | null;
}

/** Closes a case; false where it is not open any more. */
export async function closeCase(
  database: Database,
  id: number,
  { actor, note, borneBy }: CaseEnd,
): Promise<boolean> {
  const changed = await changedRows(database)`
    update cases set closed_at = coalesce(closed_at, now()), closed_by = ${actor}, note = ${note},
      borne_by = ${borneBy}
    where id = ${id} and closed_by is null`;
  return changed === 1;
}

/** SQL expression: the oldest open case that meets a condition on `found`; null where there is none. */
export const oldestOpenCase = (condition: Sql) => sql<number | null>`(
  select min(found.id) from cases as found where ${condition} and found.closed_at is null)`;

/** SQL query: the open cases of a voucher or a top-up whose payment or delivery could be made twice. */
const blocking = (column: 'voucher_id' | 'topup_id', id: unknown, selected = sql``) => sql`
  select ${selected} from cases
  where cases.${sql.ref(column)} = ${id} and is_blocking and closed_at is null`;

/** SQL condition: a payment of the voucher could be made twice, as long as a case is open. */
export const isVoucherBlocked = (voucherId: unknown) =>
  sql<boolean>`exists (${blocking('voucher_id', voucherId)})`;

/** Whether a payment of a locked voucher could be made twice. */
export const isBlocked = (database: Database, voucherId: number) =>
  hasRows(database)`${blocking('voucher_id', voucherId)}`;

/** SQL condition: the same for a new claim, which the request of a payment that a restore lost may need. */
export const isClaimBlocked = (voucherId: number) => sql<boolean>`exists (
  ${blocking('voucher_id', voucherId)} and not starts_with(subject, 'recovered:'))`;

/** SQL expression: our references of the payments that could be made twice. */
export const blockedBy = (voucherId: number) => sql<readonly string[]>`array(
  ${blocking('voucher_id', voucherId, sql`reference`)})`;

/** SQL condition: a top-up could be delivered twice, as long as a case is open. */
export const isTopupBlocked = (topupId: unknown) =>
  sql<boolean>`exists (${blocking('topup_id', topupId)})`;

const columns = sql`found.id, subject_kind as "subjectKind", subject, why, difference, found.amount::text as amount,
  message, provider, reference, found.partner_id as "partnerId", company_name as partner,
  found.merchant_id as "merchantId", merchant_name as merchant, voucher_id as "voucherId",
  serial_number as "serialNumber", topup_id as "topupId", opened_at as "openedAt",
  closed_at as "closedAt", closed_by as "closedBy", note, borne_by as "borneBy",
  coalesce(${staffName('closed_by')}, closed_by) as closer`;

const joins = sql`left join partners on partners.id = found.partner_id
  left join merchants on merchants.id = found.merchant_id
  left join vouchers on vouchers.id = voucher_id`;

/** The cases that meet a condition, the oldest first. */
const casesWhere = (database: Database, condition: Sql) =>
  allRows<Case>(database)`
    select ${columns} from cases as found ${joins} where ${condition} order by found.id`;

/** The selection of cases for a list. */
export interface CaseSelection {
  /** Also those that are closed, the newest of them. */
  readonly includeClosed: boolean;
  readonly provider?: string | undefined;
  readonly limit: number;
}

/** The cases: the open ones, the oldest first, then the closed ones, the newest first. */
export function listCases(
  database: Database,
  { includeClosed, provider, limit }: CaseSelection,
): Promise<Case[]> {
  const isWanted = provider === undefined ? sql`true` : sql`provider = ${provider}`;
  const closed = sql`union all (
    select * from cases where closed_at is not null and ${isWanted} order by id desc limit ${limit})`;
  return allRows<Case>(database)`
    select ${columns} from (
      (select * from cases where closed_at is null and ${isWanted} order by id limit ${limit})
      ${includeClosed ? closed : sql``}) as found ${joins}
    order by closed_at is not null, case when closed_at is null then found.id else -found.id end
    limit ${limit}`;
}

/** The cases of a company, the open ones first: the few that are open at all are looked through. */
export function casesOfCompany(
  database: Database,
  company: Company,
  page: RowPage,
): Promise<Case[]> {
  const isOwn = sql`${sql.ref(companyColumn(company))} = ${company.id}`;
  return allRows<Case>(database)`
    select ${columns} from (
      select * from cases where closed_at is null and ${isOwn}
      union all (
        select * from cases where closed_at is not null and ${isOwn}
        order by id desc limit ${page.offset + page.limit})) as found ${joins}
    order by closed_at is not null, found.id desc ${limitedTo(page)}`;
}

/** The oldest open cases without the messages of providers, which reports may not read. */
export async function reportedCases(
  database: Database,
  limit: number,
): Promise<Pick<Case, 'id' | 'why' | 'difference' | 'amount' | 'provider' | 'reference'>[]> {
  return database
    .selectFrom('cases')
    .select(['id', 'why', 'difference', 'amount', 'provider', 'reference'])
    .where('closed_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The number of open cases, by their reasons. */
export const countOpenCases = (database: Database) =>
  allRows<{ readonly why: CaseWhy; readonly count: number }>(database)`
    select why, count(*)::int as count from cases where closed_at is null group by why`;

/** The open cases of what a restore lost: how many, and what is in suspense. */
export const openLostCases = (database: Database) =>
  onlyRow<{ readonly count: number; readonly amount: string }>(database)`
    select count(*)::int as count, coalesce(sum(amount), 0)::text as amount from cases
    where closed_at is null and subject_kind = 'order' and starts_with(subject, 'recovered:')`;

/** The cases of the lines of a statement, the oldest first. */
export const casesOfLines = (
  database: Database,
  {
    provider,
    day,
    includeClosed,
  }: {
    readonly provider: string;
    readonly day: string;
    readonly includeClosed: boolean;
  },
): Promise<Case[]> =>
  casesWhere(
    database,
    sql`subject_kind = 'line' and subject collate "C" >= ${`${provider} ${day} `}
      and subject collate "C" < ${`${provider} ${day}!`}
      ${includeClosed ? sql`` : sql`and closed_at is null`}`,
  );

/** The other cases of the same order, also of what a restore lost of it, the oldest first. */
export const otherCasesOf = async (
  database: Database,
  { id, subjectKind, subject, reference }: Case,
): Promise<Case[]> =>
  subjectKind === 'order'
    ? casesWhere(
        database,
        sql`subject in (${subject}, ${lostOperationId(reference ?? '')}) and found.id <> ${id}`,
      )
    : [];

/** The closed cases of a voucher or of a top-up, the oldest first. */
export const closedCasesOf = (
  database: Database,
  { kind, id }: { readonly kind: 'voucher' | 'top-up'; readonly id: number },
): Promise<Case[]> => {
  const subject = sql.ref(kind === 'voucher' ? 'found.voucher_id' : 'found.topup_id');
  return casesWhere(database, sql`${subject} = ${id} and closed_at is not null`);
};

/** A case; undefined where there is none. */
export const findCase = async (database: Database, id: number): Promise<Case | undefined> =>
  (await casesWhere(database, sql`found.id = ${id}`))[0];
