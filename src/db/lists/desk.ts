import { sql } from 'kysely';
import { type DeskKind, deskKinds } from '../../domain/staff.ts';
import {
  changedRows,
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstValue,
  hasRows,
  type Sql,
} from '../connection.ts';
import { hasLowBalance } from '../ledger/ledger.ts';
import { declareList, listFields } from './list.ts';

/**
 * The queue of the support desk: everything that waits for a person of the service. Each part reads open rows along a
 * partial index, or the rows of a few days. So the queue costs as much as it shows, however long the history is.
 */

const { choice, text, searched, integer, decimal, time, shown, hidden } = listFields;

/** Rows of one part at most. A longer queue is an incident, and its oldest rows come first. */
const ROWS_OF_A_PART = 1_000;

/** Younger payments and top-ups end by themselves. */
const USUALLY_KNOWN_AFTER = sql`interval '1 minute'`;

/** The statement of a day is read again and again until it is there. */
const LATE_AFTER = sql`interval '1 hour'`;

/** Older refusals are history: the customer has complained by then, or has no complaint. */
const FORGOTTEN_AFTER = sql`interval '3 days'`;

/** What a kind of rows may know of each, with its type in SQL. */
const columns = {
  // Since when it waits.
  since: 'timestamptz',
  amount: 'numeric',
  detail: 'text',
  // Of a case, our reference towards the provider; of a repair, the reference of a deposit.
  reference: 'text',
  provider: 'text',
  partner_id: 'bigint',
  merchant_id: 'bigint',
  voucher_id: 'bigint',
  topup_id: 'bigint',
} as const;

/** One kind of rows, and what it knows of each: the rest is null. */
interface Part extends Readonly<Partial<Record<keyof typeof columns, Sql>>> {
  readonly kind: DeskKind;
  /** SQL expression: the name of the row, unique within the kind. */
  readonly subject: Sql;
  /** From the `from` to the conditions, and the order of the index. */
  readonly rows: Sql;
}

/* Scalar subqueries: PostgreSQL may answer a join, or an `exists`, by reading whole tables. */

/** The partner of a voucher. */
const partnerOf = (voucherId: Sql) =>
  sql`(select partner_id from vouchers where vouchers.id = ${voucherId})`;

/** The provider that has an order now, and its last message. */
const placedOrder = (operationId: Sql, isReversal = false) => {
  const known = (column: 'provider' | 'message') => sql`(
    select ${sql.ref(`placed.${column}`)} from placements as placed where placed.operation_id = ${operationId}
      and (placed.kind = 'reversal') = ${sql.lit(isReversal)}
    order by placed.position desc limit 1)`;
  return { provider: known('provider'), detail: known('message') };
};

const parts: readonly Part[] = [
  {
    kind: 'undelivered-code',
    subject: sql`voucher.id::text`,
    since: sql`coalesce(code.delivery_at, code.settled_at, code.created_at)`,
    amount: sql`voucher.amount`,
    detail: sql`coalesce(code.delivery_reason, code.provider_message)`,
    provider: sql`code.provider`,
    partner_id: sql`voucher.partner_id`,
    merchant_id: sql`case claim.company_kind when 'merchant' then claim.company_id else voucher.merchant_id end`,
    voucher_id: sql`voucher.id`,
    rows: sql`from (
        select id, voucher_id, company_kind, company_id, created_at, expires_at from voucher_claims
        where status = 'OPEN' and expires_at > now()
        union all
        select id, voucher_id, company_kind, company_id, created_at, expires_at from voucher_claims
        where status = 'CANCELLED' and expires_at > now() - ${FORGOTTEN_AFTER}) as claim
      cross join lateral (
        select id, amount, partner_id, merchant_id, status from vouchers
        where vouchers.id = claim.voucher_id limit 1) as voucher
      cross join lateral (
        select status, delivery, delivery_at, settled_at, created_at, delivery_reason,
          provider_message, provider from messages
        where messages.voucher_id = claim.voucher_id and kind = 'VERIFICATION_CODE'
        order by messages.created_at desc limit 1) as code
      where voucher.status in ('ACTIVE', 'REDEEM_INITIATED')
        and (code.status in ('REFUSED', 'CANCELLED') or code.delivery = 'NOT_DELIVERED')
        and (select true from voucher_claims as newer
          where newer.voucher_id = claim.voucher_id and newer.created_at > claim.created_at
          limit 1) is null
      order by claim.expires_at`,
  },
  {
    kind: 'unknown',
    subject: sql`'payment ' || redemptions.id`,
    since: sql`redemptions.created_at`,
    amount: sql`to_merchant + service_fee`,
    ...placedOrder(sql`redemptions.operation_id`),
    partner_id: partnerOf(sql`redemptions.voucher_id`),
    merchant_id: sql`redemptions.merchant_id`,
    voucher_id: sql`redemptions.voucher_id`,
    rows: sql`from redemptions
      where status = 'HELD' and redemptions.created_at < now() - ${USUALLY_KNOWN_AFTER}
      order by redemptions.id`,
  },
  {
    kind: 'unknown',
    subject: sql`'top-up ' || try.topup_id`,
    since: sql`try.created_at`,
    amount: sql`topup.amount`,
    ...placedOrder(sql`try.operation_id`),
    partner_id: sql`topup.partner_id`,
    topup_id: sql`try.topup_id`,
    rows: sql`from topup_attempts as try
      cross join lateral (
        select amount, partner_id from topups where topups.id = try.topup_id limit 1) as topup
      where try.status = 'HELD' and try.created_at < now() - ${USUALLY_KNOWN_AFTER}
      order by try.topup_id`,
  },
  {
    kind: 'unknown',
    subject: sql`'reversal ' || reversal.id`,
    since: sql`reversal.created_at`,
    amount: sql`to_merchant + service_fee`,
    ...placedOrder(sql`redemption.operation_id`, true),
    partner_id: partnerOf(sql`redemption.voucher_id`),
    merchant_id: sql`redemption.merchant_id`,
    voucher_id: sql`redemption.voucher_id`,
    rows: sql`from redemption_reversals as reversal
      cross join lateral (
        select operation_id, voucher_id, merchant_id, to_merchant, service_fee from redemptions
        where redemptions.id = reversal.redemption_id limit 1) as redemption
      where reversal.status = 'PENDING' and reversal.created_at < now() - ${USUALLY_KNOWN_AFTER}
      order by reversal.id`,
  },
  {
    kind: 'repair',
    subject: sql`repairs.id::text`,
    since: sql`asked_at`,
    amount: sql`nullif(amount, 0)`,
    detail: sql`repairs.kind`,
    reference: sql`case subject_kind when 'deposit' then subject_id end`,
    partner_id: sql`case company_kind when 'partner' then company_id else ${partnerOf(sql`repairs.voucher_id`)} end`,
    merchant_id: sql`case company_kind when 'merchant' then company_id end`,
    voucher_id: sql`voucher_id`,
    topup_id: sql`topup_id`,
    rows: sql`from repairs where state = 'ASKED' order by repairs.id`,
  },
  {
    kind: 'refused-payment',
    subject: sql`redemptions.id::text`,
    since: sql`redemptions.settled_at`,
    amount: sql`to_merchant + service_fee`,
    ...placedOrder(sql`redemptions.operation_id`),
    detail: sql`provider_message`,
    partner_id: sql`voucher.partner_id`,
    merchant_id: sql`redemptions.merchant_id`,
    voucher_id: sql`redemptions.voucher_id`,
    // A person who has settled it by hand knows of it.
    rows: sql`from redemptions
      cross join lateral (
        select partner_id, status from vouchers where vouchers.id = redemptions.voucher_id limit 1) as voucher
      where redemptions.status = 'VOIDED' and redemptions.settled_at > now() - ${FORGOTTEN_AFTER}
        and not is_done and not_done_by is distinct from 'staff' and voucher.status = 'ACTIVE'
        and (select true from redemptions as newer
          where newer.voucher_id = redemptions.voucher_id and newer.id > redemptions.id limit 1) is null
        and (select true from voucher_claims as newer
          where newer.voucher_id = redemptions.voucher_id
            and newer.created_at > redemptions.settled_at limit 1) is null
      order by redemptions.settled_at`,
  },
  {
    kind: 'case',
    subject: sql`cases.id::text`,
    since: sql`opened_at`,
    amount: sql`nullif(abs(amount), 0)`,
    detail: sql`coalesce(difference, why)`,
    reference: sql`reference`,
    provider: sql`provider`,
    partner_id: sql`partner_id`,
    merchant_id: sql`merchant_id`,
    voucher_id: sql`voucher_id`,
    topup_id: sql`topup_id`,
    // A settlement that waits for a second person is the same work: its repair is shown.
    rows: sql`from cases where closed_at is null
        and (select true from repairs where state = 'ASKED' and subject_kind = 'case'
          and subject_id = cases.id::text limit 1) is null
      order by cases.id`,
  },
  {
    kind: 'low-wallet',
    subject: sql`ledger_accounts.id::text`,
    amount: sql`balance`,
    detail: sql`ledger_accounts.kind`,
    partner_id: sql`partner_id`,
    rows: sql`from ledger_accounts where ${hasLowBalance} order by ledger_accounts.id`,
  },
  {
    kind: 'failing-webhook',
    subject: sql`webhook_endpoints.id::text`,
    since: sql`coalesce(failing_since, status_since)`,
    detail: sql`case status when 'SWITCHED_OFF' then 'was switched off' else 'does not take events' end`,
    partner_id: sql`case company_kind when 'partner' then company_id end`,
    merchant_id: sql`case company_kind when 'merchant' then company_id end`,
    rows: sql`from webhook_endpoints
      where (failing_since is not null or status = 'SWITCHED_OFF')
        and status in ('ACTIVE', 'SWITCHED_OFF')
      order by webhook_endpoints.id`,
  },
  {
    // A person looks at the others by their cases.
    kind: 'late-statement',
    subject: sql`provider || ' ' || day`,
    since: sql`failing_since`,
    detail: sql`failure`,
    provider: sql`provider`,
    rows: sql`from provider_statements
      where state = 'TRYING' and failing_since < now() - ${LATE_AFTER} order by provider, day`,
  },
];

const kinds = Object.keys(deskKinds) as DeskKind[];

/** The rows of a part, with the columns that all parts have. */
const rowsOf = ({ kind, subject, rows, ...known }: Part) => sql`(
  select ${sql.lit(kind)} as kind, ${sql.lit(kinds.indexOf(kind))} as urgency, ${subject} as subject,
    ${sql.join(
      Object.entries(columns).map(
        ([name, type]) =>
          sql`(${known[name as keyof typeof columns] ?? sql`null`})::${sql.raw(type)} as ${sql.ref(name)}`,
      ),
    )}
  ${rows} limit ${sql.lit(ROWS_OF_A_PART)})`;

const items = sql`(${sql.join(parts.map(rowsOf), sql` union all `)}) as item`;

/**
 * SQL condition: an assignment is of this wait, to a person who can still sign in. A later wait of the same subject is
 * new work. An assignment of a low wallet lasts for a day, because the time since which it is low is not recorded.
 */
const isOfItem = sql`assigned.kind = item.kind and assigned.subject = item.subject
  and assigned.since >= coalesce(item.since, now() - interval '1 day')
  and (select disabled_at is null from portal_accounts where id = assigned.account_id)`;

const withPeople = sql`${items} left join desk_assignments as assigned on ${isOfItem}`;

/** The queue, for people of the service. */
export const deskList = declareList({
  name: 'desk',
  from: () => withPeople,
  where: () => sql`true`,
  id: sql`(item.kind || ' ' || item.subject)`,
  sortBy: [
    ['urgency', 'ASC'],
    ['since', 'ASC'],
  ],
  fields: {
    kind: choice(kinds)(sql`item.kind`),
    subject: text(sql`item.subject`),
    // Less is more urgent.
    urgency: hidden(integer(sql`item.urgency`)),
    since: time<Date | null>(sql`item.since`),
    // Of a wallet: its balance.
    amount: decimal<string | null>(sql`item.amount`),
    detail: shown<string | null>(sql`item.detail`),
    reference: shown<string | null>(sql`item.reference`),
    provider: text<string | null>(sql`item.provider`),
    partnerId: integer<number | null>(sql`item.partner_id`),
    partner: searched<string | null>(
      sql`(select company_name from partners where partners.id = item.partner_id)`,
    ),
    merchantId: integer<number | null>(sql`item.merchant_id`),
    merchant: searched<string | null>(
      sql`(select merchant_name from merchants where merchants.id = item.merchant_id)`,
    ),
    voucherId: shown<number | null>(sql`item.voucher_id`),
    serialNumber: shown<string | null>(
      sql`(select serial_number from vouchers where vouchers.id = item.voucher_id)`,
    ),
    topupId: shown<number | null>(sql`item.topup_id`),
    // The person of the service who deals with it.
    assigneeId: integer<number | null>(sql`assigned.account_id`),
    assignee: text<string | null>(
      sql`(select name from staff_accounts where staff_accounts.account_id = assigned.account_id)`,
    ),
  },
});

/** The number of rows in the queue that are not assigned to other people, for the menu of a person. */
export const countDesk = (database: Database, accountId: number) =>
  firstValue<number>(database, 0)`
    select count(1)::int as count from ${withPeople}
    where assigned.account_id is null or assigned.account_id = ${accountId}`;

/** Something in the queue, as a form names it. */
export interface DeskItem {
  readonly kind: string;
  readonly subject: string;
}

/**
 * Assigns something in the queue to a person, where it is free or still assigned to `insteadOf`. False where it waits
 * no more, or somebody else has taken it meanwhile. Assignments of ended waits are deleted here, so that they stay few.
 */
export async function takeDeskItem(
  transaction: DatabaseTransaction,
  { kind, subject }: DeskItem,
  { accountId, insteadOf }: { readonly accountId: number; readonly insteadOf: number | undefined },
): Promise<boolean> {
  await sql`
    delete from desk_assignments as assigned
    where not exists (select from ${items} where ${isOfItem})`.execute(transaction);
  const changed = await changedRows(transaction)`
    insert into desk_assignments as old (kind, subject, account_id)
    select item.kind, item.subject, ${accountId}::bigint from ${items}
    where item.kind = ${kind} and item.subject = ${subject}
    on conflict (kind, subject) do update set account_id = excluded.account_id, since = now()
    where old.account_id = ${insteadOf ?? null}::bigint`;
  return changed > 0;
}

/** Whether something waits in the queue and is assigned to a person; for null, whether it is free. */
export const isDeskItemOf = (
  database: Database,
  { kind, subject }: DeskItem,
  accountId: number | null,
) =>
  hasRows(database)`
    select from ${withPeople} where item.kind = ${kind} and item.subject = ${subject}
      and assigned.account_id is not distinct from ${accountId}::bigint`;

/** Gives something in the queue back; false where it is not assigned to the person. */
export const leaveDeskItem = (
  transaction: DatabaseTransaction,
  { kind, subject }: DeskItem,
  accountId: number,
) =>
  transaction
    .deleteFrom('desk_assignments')
    .where(sql<boolean>`kind = ${kind} and subject = ${subject}`)
    .where('account_id', '=', accountId)
    .$call(changesRow);
