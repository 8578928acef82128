import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.js';
import type { SuspenseParty } from '../ledger/suspense.js';

/** A completed operation whose provider is asked again. */
export interface RefusalInquiry {
  readonly kind: 'redemption' | 'topup';
  readonly operationId: string;
}

/** The first inquiry about a voided hold; the last one follows later. */
export const firstInquiry = sql<Date>`now() + interval '10 minutes'`;
const SECOND_RECHECK = sql`interval '24 hours'`;
/** Retry interval while the provider does not answer. */
const PAUSE = sql`interval '10 minutes'`;
const PATIENCE = sql`interval '3 days'`;
/** Retry interval for successful operations, which are far more numerous. */
const WATCH_PAUSE = sql`interval '1 hour'`;

const intervalOf = (seconds: number) => sql`make_interval(secs => ${seconds}::float8)`;

/** Time of the first inquiry about a reversal; null: never. */
export const firstWatch = (watchSeconds: number) =>
  watchSeconds === 0
    ? null
    : sql<Date>`now() + least(interval '10 minutes', ${intervalOf(watchSeconds)})`;

/** The due inquiries, longest overdue first. */
export async function dueInquiries(database: Database, limit: number): Promise<RefusalInquiry[]> {
  const { rows } = await sql<RefusalInquiry>`
    select kind, "operationId" from (
      (select 'redemption' as kind, operation_id as "operationId", recheck_at from redemptions
        where recheck_at <= now() order by recheck_at limit ${limit})
      union all
      (select 'topup', operation_id, recheck_at from topup_attempts
        where recheck_at <= now() order by recheck_at limit ${limit})
    ) as due
    order by recheck_at limit ${limit}`.execute(database);
  return rows;
}

/** A moment of the database's clock, as PostgreSQL writes it. */
export async function databaseMoment(database: Database): Promise<string> {
  const { rows } = await sql<{ moment: string }>`
    select clock_timestamp()::text as moment`.execute(database);
  const [row] = rows;
  if (!row) throw new Error('The database has no clock');
  return row.moment;
}

/**
 * Takes what was due by then, the longest due first and up to `limit` of each kind. The taken
 * rows stay due, behind all others: a row that cannot be asked about or booked does not block the
 * others, and a later run asks again after a crash.
 */
export async function takeDueInquiries(
  database: Database,
  dueBy: string,
  limit: number,
): Promise<RefusalInquiry[]> {
  const due = (table: string) => sql`
    update ${sql.table(table)} set recheck_at = clock_timestamp() where operation_id = any(array(
      select operation_id from ${sql.table(table)} where recheck_at <= ${dueBy}::timestamptz
      order by recheck_at limit ${limit} for update skip locked))
    returning operation_id`;
  const { rows } = await sql<RefusalInquiry>`
    with due_redemptions as (${due('redemptions')}), due_topups as (${due('topup_attempts')})
    select 'redemption' as kind, operation_id as "operationId" from due_redemptions
    union all select 'topup', operation_id from due_topups`.execute(database);
  return rows;
}

/** What came to an end, its row locked: what the provider's later word would change. */
export interface EndedPayment extends RefusalInquiry {
  /** VOIDED: its hold was voided. */
  readonly status: 'POSTED' | 'VOIDED';
  readonly partner_id: number;
  /** Our reference towards the provider. */
  readonly reference: string;
  /** Decimal string: the amount for the provider. */
  readonly amount: string;
  /** Of a top-up: its number and the attempt. */
  readonly topup_id: number | null;
  readonly attempt: number | null;
  /** The operation of the top-up, and its workflow. */
  readonly creation_id: string | null;
  readonly workflow_id: string | null;
  /** Our reference of the redemption for people. */
  readonly platform_reference: string | null;
  /**
   * The provider's changed answer is already booked, settled or not; or a merchant's reversal, which
   * changes that answer, books it.
   */
  readonly is_booked: boolean;
}

/** SQL expression: a merchant's reversal of the payment is under way, or has succeeded. */
const isReversedOnRequest = (operationId: string) => sql<boolean>`exists (
  select from redemption_reversals as reversal
  join redemptions as paid on paid.id = reversal.redemption_id
  where paid.operation_id = ${operationId} and reversal.status <> 'FAILED')`;

const isBooked = (operationId: string) => sql`(exists (
    select from ledger_transfers
    where operation_id = ${operationId} and step in ('late-success', 'reversal'))
  or ${isReversedOnRequest(operationId)}) as is_booked`;

/** Whether a merchant's reversal of the payment is under way, or has succeeded. */
export async function hasRequestedReversal(
  database: Database,
  operationId: string,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${isReversedOnRequest(operationId)} as found`.execute(database);
  return rows[0]?.found ?? false;
}

/** Reads it; undefined where the operation is not completed. */
export async function findEnded(
  database: Database,
  { kind, operationId }: RefusalInquiry,
): Promise<EndedPayment | undefined> {
  const { rows } =
    kind === 'redemption'
      ? await sql<Omit<EndedPayment, keyof RefusalInquiry>>`
          select redemptions.status, vouchers.partner_id, payment_reference as reference,
            to_merchant as amount, null as topup_id, null as attempt, null as creation_id,
            null as workflow_id, platform_reference, ${isBooked(operationId)}
          from redemptions join vouchers on vouchers.id = voucher_id
          where redemptions.operation_id = ${operationId} and redemptions.status <> 'HELD'
          for no key update of redemptions`.execute(database)
      : // A later attempt may have another price: the ledger knows what this one held.
        await sql<Omit<EndedPayment, keyof RefusalInquiry>>`
          select try.status, topups.partner_id, reference, topup_id, try.attempt,
            topups.operation_id as creation_id, workflow_id, null as platform_reference,
            (select amount from ledger_transfers
              where operation_id = ${operationId} and step = 'hold') as amount,
            ${isBooked(operationId)}
          from topups join topup_attempts as try on topups.id = topup_id
          where try.operation_id = ${operationId} and try.status <> 'HELD'
          for no key update of topups, try`.execute(database);
  const [row] = rows;
  return row && { kind, operationId, ...row };
}

/** The table of an inquiry's row. */
const tableOf = ({ kind }: Pick<RefusalInquiry, 'kind'>) =>
  sql.table(kind === 'redemption' ? 'redemptions' : 'topup_attempts');

/**
 * Records an unchanged or missing answer of the provider, and schedules the next inquiry.
 * Successful operations are asked about a few times within the watch period.
 */
export async function postponeInquiry(
  database: Database,
  ended: Pick<EndedPayment, keyof RefusalInquiry | 'status'>,
  answer: 'as-before' | 'unknown',
  watchSeconds: number,
): Promise<void> {
  const watch = intervalOf(watchSeconds);
  const nextWatch = sql`(
    select min(settled_at + age) from unnest(array[${SECOND_RECHECK}, ${watch}]) as age
    where age <= ${watch} and settled_at + age > now())`;
  const next = {
    'VOIDED as-before': sql`
      case when now() < settled_at + ${SECOND_RECHECK} then settled_at + ${SECOND_RECHECK} end`,
    'VOIDED unknown': sql`case when now() < settled_at + ${PATIENCE} then now() + ${PAUSE} end`,
    'POSTED as-before': nextWatch,
    'POSTED unknown': sql`
      case when ${nextWatch} is not null then least(${nextWatch}, now() + ${WATCH_PAUSE}) end`,
  }[`${ended.status} ${answer}` as const];
  await sql`
    update ${tableOf(ended)}
    set recheck_at = ${next}${answer === 'as-before' ? sql`, disagreement = null` : sql``}
    where operation_id = ${ended.operationId} and contradicted_at is null
      and reversed_at is null`.execute(database);
}

/** Records that the provider completed a voided operation; the inquiries end. */
export async function recordContradiction(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
  providerReference: string,
): Promise<void> {
  await sql`
    update ${tableOf(inquiry)} set recheck_at = null, disagreement = null, contradicted_at = now(),
      provider_reference = ${providerReference}
    where operation_id = ${inquiry.operationId}`.execute(transaction);
  await noteTopupChange(transaction, inquiry);
}

/** Records that the provider reversed a completed operation; the inquiries end. */
export async function recordReversal(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
): Promise<void> {
  await sql`
    update ${tableOf(inquiry)} set recheck_at = null, disagreement = null, reversed_at = now()
    where operation_id = ${inquiry.operationId}`.execute(transaction);
  await noteTopupChange(transaction, inquiry);
}

/** Records the party that bore a late success, or that got the money of a reversal. */
export async function recordSettlement(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
  settledBy: SuspenseParty,
): Promise<void> {
  // The provider has undone it: the operation is again as before its change.
  const undone =
    settledBy === 'provider' ? sql`, contradicted_at = null, reversed_at = null` : sql``;
  await sql`
    update ${tableOf(inquiry)} set settled_by = ${settledBy}${undone}
    where operation_id = ${inquiry.operationId}`.execute(transaction);
  await noteTopupChange(transaction, inquiry);
}

/** What is told of a top-up has changed, also where its status stays; its row is locked. */
async function noteTopupChange(
  transaction: DatabaseTransaction,
  { kind, operationId }: RefusalInquiry,
): Promise<void> {
  if (kind !== 'topup') return;
  await sql`
    update topups set updated_at = now()
    where id = (select topup_id from topup_attempts where operation_id = ${operationId})`.execute(
    transaction,
  );
}

/**
 * Schedules an inquiry about a completed attempt at the next reconciliation, because of a callback;
 * about a delivered one only within its watch period.
 */
export async function requestInquiry(
  database: Database,
  reference: string,
  watchSeconds: number,
): Promise<void> {
  await sql`
    update topup_attempts set recheck_at = now()
    where reference = ${reference} and contradicted_at is null and reversed_at is null
      and (status = 'VOIDED'
        or status = 'POSTED' and settled_at > now() - ${intervalOf(watchSeconds)})
  `.execute(database);
}

/** Records the provider's deviating content, which raises a case. */
export async function noteDisagreement(
  database: Database,
  inquiry: RefusalInquiry,
  words: string,
): Promise<void> {
  await sql`
    update ${tableOf(inquiry)} set disagreement = ${words}
    where operation_id = ${inquiry.operationId}`.execute(database);
}
