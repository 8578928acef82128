import { type Selectable, sql, type UpdateObject } from 'kysely';
import { isStaffActor, staffActor } from '../../domain/access.ts';
import { parseMoney } from '../../domain/money.ts';
import { type RepairSubject, repairSubjects, resultOfWaiting } from '../../domain/repairs.ts';
import { mayAsStaff, needToAsk, staffRoles } from '../../domain/staff.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { type AuditEntry, addAuditEntries } from '../access/calls.ts';
import {
  allRows,
  type Database,
  type DatabaseTransaction,
  firstValue,
  hasRows,
  lockName,
  now,
  onlyRow,
  type Sql,
  updateRow,
} from '../connection.ts';
import type { RepairsTable, Schema } from '../generated/tables.ts';

export type RepairRow = Selectable<RepairsTable>;

/** One entry of the audit log; the subject is what pages show the log of. */
const auditRepair = (
  transaction: DatabaseTransaction,
  row: RepairRow,
  { actor, action }: Pick<AuditEntry, 'actor' | 'action'>,
) =>
  addAuditEntries(transaction, [
    {
      actor,
      action,
      ...subjectOf(row),
      details: {
        repair: row.id,
        kind: row.kind,
        subject: `${row.subject_kind} ${row.subject_id}`,
        arguments: row.arguments,
        amount: row.amount,
        why: row.why,
        ...(row.confirmed_by !== null && { confirmedBy: row.confirmed_by }),
        ...(row.result !== null && { result: row.result }),
      },
    },
  ]);

function subjectOf(row: RepairRow): Pick<AuditEntry, 'subjectKind' | 'subjectId'> {
  if (row.voucher_id !== null) return { subjectKind: 'voucher', subjectId: row.voucher_id };
  return row.company_kind === null || row.company_id === null
    ? { subjectKind: row.subject_kind, subjectId: Number(row.subject_id) }
    : { subjectKind: row.company_kind, subjectId: row.company_id };
}

/**
 * SQL condition on repairs: a person of the service who may confirm, and did not ask. The command
 * line does not prove who asks. So a repair that was asked for there cannot be confirmed: any
 * person might be the asker.
 */
const mayConfirm = (actor: unknown) =>
  sql<boolean>`(${actor} is distinct from asked_by and asked_by like 'staff:%' and ${isSupervisor(actor)})`;

/** SQL condition: the actor is an account of the service that is not disabled, with one of the roles. */
const hasRole = (actor: unknown, roles: Sql) => sql`exists (
  select from staff_accounts as staff join portal_accounts as account on account.id = staff.account_id
  where 'staff:' || account.id = ${actor} and account.disabled_at is null
    and staff.role = any(${roles}))`;

const confirmingRoles = staffRoles.filter((role) => mayAsStaff(role, 'confirm'));

/** SQL condition: the actor may decide about repairs of others. */
const isSupervisor = (actor: unknown) => hasRole(actor, sql`${confirmingRoles}::text[]`);

const rolesThatAsk = (subject: RepairSubject) =>
  staffRoles.filter((role) => mayAsStaff(role, needToAsk(subject)));

/**
 * SQL condition on repairs: who asked may still ask for it. A name of the command line is not that of an
 * account.
 */
const mayStillAsk = sql<boolean>`(asked_by not like 'staff:%' or ${hasRole(
  sql`asked_by`,
  sql`case ${sql.join(
    repairSubjects.map(
      (subject) => sql`when subject_kind = ${subject} then ${rolesThatAsk(subject)}::text[]`,
    ),
    sql` `,
  )} end`,
)})`;

/** Changes a repair in one of some states, and returns its row. */
const changeWhere = (
  transaction: DatabaseTransaction,
  id: number,
  states: readonly RepairRow['state'][],
  values: UpdateObject<Schema, 'repairs'>,
) =>
  transaction
    .updateTable('repairs')
    .set({ ...values, changed_at: now })
    .where('id', '=', id)
    .where('state', 'in', states)
    .returningAll();

/**
 * Confirms a repair that somebody else asked for. False where it no longer waits, its time is over, or this person may
 * not confirm it.
 */
export async function confirmRepair(
  transaction: DatabaseTransaction,
  id: number,
  accountId: number,
): Promise<boolean> {
  const actor = staffActor(accountId);
  const row = await changeWhere(transaction, id, ['ASKED'], {
    state: 'READY',
    confirmed_by: actor,
    confirmed_at: now,
  })
    .where(sql<boolean>`confirm_until > clock_timestamp()`)
    .where(mayConfirm(sql`${actor}::text`))
    .executeTakeFirst();
  if (row) await auditRepair(transaction, row, { actor, action: 'confirm repair' });
  return row !== undefined;
}

/**
 * Ends a repair that waits for a second person: who asked for it withdraws it, another person declines it. False where it
 * does not wait any more, or this person may not decline it.
 */
export async function declineRepair(
  transaction: DatabaseTransaction,
  id: number,
  { actor, why }: { readonly actor: string; readonly why: string },
): Promise<boolean> {
  const row = await changeWhere(transaction, id, ['ASKED'], {
    state: 'REFUSED',
    result: sql<string>`case when asked_by = ${actor} then ${resultOfWaiting('WITHDRAWN', why)}
      else ${resultOfWaiting('DECLINED', why)} end`,
  })
    .where(sql<boolean>`(asked_by = ${actor} or ${isSupervisor(sql`${actor}::text`)})`)
    .executeTakeFirst();
  const action = row?.asked_by === actor ? 'withdraw repair' : 'decline repair';
  if (row) await auditRepair(transaction, row, { actor, action });
  return row !== undefined;
}

const isUnconfirmed = sql`state = 'ASKED' and confirm_until <= (select clock_timestamp())`;

/** Ends the repairs that were not confirmed in time; returns the number. */
export async function expireRepairs(database: Database): Promise<number> {
  // Each worker looks for them every second, and there is hardly ever one.
  if (!(await hasRows(database)`select from repairs where ${isUnconfirmed} limit 1`)) return 0;
  return database.transaction().execute(async (transaction) => {
    const rows = await allRows<RepairRow>(transaction)`
      update repairs set state = 'EXPIRED', changed_at = now(),
        result = 'Nobody confirmed it in time: ask for it again'
      where ${isUnconfirmed}
      returning *`;
    for (const row of rows)
      await auditRepair(transaction, row, { actor: 'system', action: 'expire repair' });
    return rows.length;
  });
}

/** Lets a repair wait for a second person, because its amount has grown since the request. */
export const askForConfirmation = (
  transaction: DatabaseTransaction,
  id: number,
  { amount, confirmSeconds }: { readonly amount: string; readonly confirmSeconds: number },
) =>
  updateRow(transaction, 'repairs', id, {
    state: 'ASKED',
    amount,
    needs_confirmation: true,
    confirm_until: sql<Date>`clock_timestamp() + make_interval(secs => ${confirmSeconds})`,
    changed_at: now,
  });

/** A repair that is asked for. */
interface NewRepair
  extends Pick<
    RepairsTable,
    | 'kind'
    | 'subject_kind'
    | 'subject_id'
    | 'voucher_id'
    | 'topup_id'
    | 'sealed_arguments'
    | 'amount'
    | 'moves_value'
    | 'why'
    // Random: the same form sent twice is one repair.
    | 'request_key'
    | 'operation_id'
    | 'asked_by'
  > {
  readonly company: Company | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly needs_confirmation: boolean;
  /** How long it waits for a second person. */
  readonly confirmSeconds: number;
}

/** The key of an open repair: one of a kind at a time for a subject. */
type AskedFor = Pick<NewRepair, 'kind' | 'subject_kind' | 'subject_id'>;

/** Lets those who ask for one thing come one after another: the second one finds the first. */
export const lockAsking = (transaction: DatabaseTransaction, { kind, subject_id }: AskedFor) =>
  lockName(transaction, `repair ${kind} ${subject_id}`);

/** The open repair of a kind for a subject; undefined where there is none. */
export const findOpenRepair = (database: Database, { kind, subject_kind, subject_id }: AskedFor) =>
  database
    .selectFrom('repairs')
    .selectAll()
    .where('kind', '=', kind)
    .where('subject_kind', '=', subject_kind)
    .where('subject_id', '=', subject_id)
    .where('state', 'in', ['ASKED', 'READY', 'RUNNING'])
    .executeTakeFirst();

/** Records a repair. */
export async function addRepair(
  transaction: DatabaseTransaction,
  { company, confirmSeconds, ...repair }: NewRepair,
) {
  const row = await transaction
    .insertInto('repairs')
    .values({
      ...repair,
      company_kind: company?.kind ?? null,
      company_id: company?.id ?? null,
      arguments: JSON.stringify(repair.arguments),
      confirm_until: sql<Date>`clock_timestamp() + make_interval(secs => ${confirmSeconds})`,
      state: repair.needs_confirmation ? 'ASKED' : 'READY',
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditRepair(transaction, row, { actor: repair.asked_by, action: 'ask repair' });
  return row;
}

/** Locks a repair until the transaction ends, and tells whether those who asked and confirmed may still do so. */
export const lockRepair = (
  transaction: DatabaseTransaction,
  { repairId, operationId }: { readonly repairId: number; readonly operationId: string },
) =>
  transaction
    .selectFrom('repairs')
    .selectAll()
    .select([mayConfirm(sql`confirmed_by`).as('is_confirmed'), mayStillAsk.as('may_still_ask')])
    .where('id', '=', repairId)
    .where('operation_id', '=', operationId)
    .forUpdate('repairs')
    .executeTakeFirstOrThrow();

/** Records that a repair does something outside of this transaction. */
export const runRepair = (transaction: DatabaseTransaction, row: RepairRow, amount: string) =>
  updateRow(transaction, 'repairs', row.id, {
    state: 'RUNNING',
    amount,
    changed_at: now,
  });

/** Ends a repair once, and writes the audit log; an ended one keeps its result. */
export async function endRepair(
  transaction: DatabaseTransaction,
  id: number,
  { state, result }: { readonly state: 'DONE' | 'REFUSED'; readonly result: string },
): Promise<RepairRow> {
  const row = await changeWhere(transaction, id, ['READY', 'RUNNING'], {
    state,
    result,
  }).executeTakeFirst();
  if (!row)
    return transaction
      .selectFrom('repairs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const action = state === 'DONE' ? row.kind.replaceAll('-', ' ') : 'refuse repair';
  await auditRepair(transaction, row, { actor: row.asked_by, action });
  return row;
}

/** The command line is one asker, because anybody can give any name there. */
const COMMAND_LINE = 'command line';

/** Lets the repairs of one asker be judged one after another, until the transaction ends. */
export const lockAsker = (transaction: DatabaseTransaction, askedBy: string) =>
  lockName(transaction, `repairs of ${isStaffActor(askedBy) ? askedBy : COMMAND_LINE}`);

/** The judged repair, which may have no row yet. */
export type Asking = Pick<RepairRow, 'kind' | 'subject_id' | 'asked_by'> & { readonly id?: number };

/**
 * The value that moved within 24 hours without the confirmation of a second person: by one asker, and by repairs of
 * one kind for one subject. The caller has called `lockAsker` first. A subject has one open repair of a kind at a
 * time.
 */
export async function movedUnconfirmed(
  database: Database,
  { id, kind, subject_id, asked_by }: Asking,
) {
  const isOfAsker = isStaffActor(asked_by)
    ? sql`asked_by = ${asked_by}`
    : sql`asked_by not like 'staff:%'`;
  const moved = await onlyRow<{ byAsker: string; ofSubject: string }>(database)`
    select coalesce(sum(amount) filter (where ${isOfAsker}), 0)::text as "byAsker",
      coalesce(sum(amount) filter (where kind = ${kind} and subject_id = ${subject_id}), 0)::text as "ofSubject"
    from repairs
    where moves_value and confirmed_by is null and state in ('READY', 'RUNNING', 'DONE')
      and asked_at > now() - interval '24 hours'
      and id is distinct from ${id ?? null}::bigint`;
  return { byAsker: parseMoney(moved.byAsker), ofSubject: parseMoney(moved.ofSubject) };
}

/** A provider's reference, under which an operation is settled by hand. */
export interface ProviderReceipt {
  readonly of: 'redemption' | 'topup';
  /** The payment or the attempt. */
  readonly operationId: string;
  /** The operation that is settled: the payment or attempt itself, or the reversal of the payment. */
  readonly settles: string;
  readonly reference: string;
}

/** Lets settlements under one reference be judged one after another, until the transaction ends. */
export const lockReceipt = (transaction: DatabaseTransaction, reference: string) =>
  lockName(transaction, `receipt ${reference.toUpperCase()}`);

const names = {
  redemption: { placed: 'payment', repair: 'settle-payment' },
  topup: { placed: 'top-up', repair: 'settle-top-up' },
} as const;

/**
 * Whether a reference names another payment, attempt or reversal at a provider of the order. Payments that a
 * restore lost count, and those that a repair is settling. That of a payment names no reversal of it.
 */
export async function isReceiptUsed(
  database: Database,
  { of, operationId, settles, reference }: ProviderReceipt,
): Promise<boolean> {
  const { placed, repair } = names[of];
  // The reference in every case, because people copy it as they like.
  const written = [reference, reference.toUpperCase(), reference.toLowerCase()];
  return await firstValue<boolean>(database, false)`
    select exists (
        select from placements as other
        where other.provider_reference = any(${written}::text[]) and other.kind in (${placed}, 'reversal')
          and (other.operation_id is distinct from ${operationId}
            or other.kind = ${placed} and ${settles} <> ${operationId})
          and other.provider in (select provider from placements where operation_id = ${operationId}))
      or exists (
        select from repairs
        where state = 'RUNNING' and kind = ${repair} and arguments ->> 'outcome' = 'done'
          and arguments ->> 'reference' = any(${written}::text[])
          and arguments ->> 'operationId' <> ${settles})`;
}
