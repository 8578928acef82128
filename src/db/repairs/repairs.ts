import { type Selectable, sql } from 'kysely';
import { staffActor } from '../../domain/repairs/repair.js';
import { mayAsStaff, staffRoles } from '../../domain/staff/staff-role.js';
import type { Company } from '../../domain/voucher.js';
import { type AuditEntry, addAuditEntries } from '../access/audit.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import type { RepairsTable } from '../schema/all-tables.js';

export type RepairRow = Selectable<RepairsTable>;

/** A repair that is asked for. */
export interface NewRepair
  extends Pick<
    RepairsTable,
    | 'kind'
    | 'subject_kind'
    | 'subject_id'
    | 'voucher_id'
    | 'topup_id'
    | 'sealed_arguments'
    | 'amount'
    | 'why'
  > {
  /** Random: the same form sent twice is one repair. */
  readonly requestKey: string;
  readonly operationId: string;
  readonly company: Company;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly askedBy: string;
  readonly needsConfirmation: boolean;
  /** How long it waits for a second person. */
  readonly confirmSeconds: number;
}

/**
 * Records a repair. One that the same form asked for, or an open one of its kind for the same subject,
 * is returned instead.
 */
export async function addRepair(
  transaction: DatabaseTransaction,
  repair: NewRepair,
): Promise<{ readonly row: RepairRow; readonly isNew: boolean }> {
  const { requestKey, operationId, company, askedBy, needsConfirmation, confirmSeconds } = repair;
  const { kind, subject_kind, subject_id, voucher_id, topup_id, sealed_arguments, amount, why } =
    repair;
  // The second of two at once waits here for the first, and then finds it.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`repair ${kind} ${subject_id}`}, 0))`.execute(
    transaction,
  );
  const earlier = await transaction
    .selectFrom('repairs')
    .selectAll()
    .where((where) =>
      where.or([
        where('request_key', '=', requestKey),
        where.and([
          where('kind', '=', kind),
          where('subject_kind', '=', subject_kind),
          where('subject_id', '=', subject_id),
          where('state', 'in', ['ASKED', 'READY', 'RUNNING']),
        ]),
      ]),
    )
    .orderBy('id')
    .executeTakeFirst();
  if (earlier) return { row: earlier, isNew: false };
  const row = await transaction
    .insertInto('repairs')
    .values({
      kind,
      subject_kind,
      subject_id,
      voucher_id,
      topup_id,
      sealed_arguments,
      amount,
      why,
      request_key: requestKey,
      operation_id: operationId,
      company_kind: company.kind,
      company_id: company.id,
      arguments: JSON.stringify(repair.arguments),
      asked_by: askedBy,
      needs_confirmation: needsConfirmation,
      confirm_until: sql<Date>`clock_timestamp() + make_interval(secs => ${confirmSeconds})`,
      state: needsConfirmation ? 'ASKED' : 'READY',
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditRepair(transaction, row, { actor: askedBy, action: 'ask repair' });
  return { row, isNew: true };
}

/** SQL condition on repairs: a person of the service who may confirm, and did not ask. */
const mayConfirm = (actor: unknown) => sql<boolean>`(${actor} is distinct from asked_by and exists (
  select from staff_accounts as staff join portal_accounts as account on account.id = staff.account_id
  where 'staff:' || account.id = ${actor} and account.disabled_at is null
    and staff.role = any(${confirmingRoles}::text[])))`;

const confirmingRoles = staffRoles.filter((role) => mayAsStaff(role, 'confirm'));

/** Confirms a repair that somebody else asked for; false where that does not count. */
export async function confirmRepair(
  transaction: DatabaseTransaction,
  id: number,
  accountId: number,
): Promise<boolean> {
  const actor = staffActor(accountId);
  const row = await transaction
    .updateTable('repairs')
    .set({
      state: 'READY',
      confirmed_by: actor,
      confirmed_at: sql<Date>`now()`,
      changed_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('state', '=', 'ASKED')
    .where(sql<boolean>`confirm_until > clock_timestamp()`)
    .where(mayConfirm(sql`${actor}::text`))
    .returningAll()
    .executeTakeFirst();
  if (row) await auditRepair(transaction, row, { actor, action: 'confirm repair' });
  return row !== undefined;
}

/** Ends a repair that waits for a second person; false where it does not wait any more. */
export async function declineRepair(
  transaction: DatabaseTransaction,
  id: number,
  { actor, why }: { readonly actor: string; readonly why: string },
): Promise<boolean> {
  const row = await transaction
    .updateTable('repairs')
    .set({ state: 'REFUSED', result: `Declined: ${why}`, changed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', '=', 'ASKED')
    .returningAll()
    .executeTakeFirst();
  if (row) await auditRepair(transaction, row, { actor, action: 'decline repair' });
  return row !== undefined;
}

/** Ends the repairs that nobody confirmed in time; returns the number. */
export const expireRepairs = (database: Database): Promise<number> =>
  database.transaction().execute(async (transaction) => {
    const { rows } = await sql<RepairRow>`
      update repairs set state = 'EXPIRED', changed_at = now(),
        result = 'Nobody confirmed it in time: ask for it again'
      where state = 'ASKED' and confirm_until <= (select clock_timestamp())
      returning *`.execute(transaction);
    for (const row of rows)
      await auditRepair(transaction, row, { actor: 'system', action: 'expire repair' });
    return rows.length;
  });

/** Locks a repair until the transaction ends, and whether its confirmation counts. */
export const lockRepair = (
  transaction: DatabaseTransaction,
  { repairId, operationId }: { readonly repairId: number; readonly operationId: string },
): Promise<RepairRow & { readonly is_confirmed: boolean }> =>
  transaction
    .selectFrom('repairs')
    .selectAll()
    .select(mayConfirm(sql`confirmed_by`).as('is_confirmed'))
    .where('id', '=', repairId)
    .where('operation_id', '=', operationId)
    .forUpdate('repairs')
    .executeTakeFirstOrThrow();

/** Lets a repair wait for a second person: its amount has grown since it was asked for. */
export async function askForConfirmation(
  transaction: DatabaseTransaction,
  id: number,
  { amount, confirmSeconds }: { readonly amount: string; readonly confirmSeconds: number },
): Promise<void> {
  await transaction
    .updateTable('repairs')
    .set({
      state: 'ASKED',
      amount,
      needs_confirmation: true,
      confirm_until: sql<Date>`clock_timestamp() + make_interval(secs => ${confirmSeconds})`,
      changed_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute();
}

/** Records that a repair does something outside of this transaction. */
export async function runRepair(
  transaction: DatabaseTransaction,
  row: RepairRow,
  amount: string,
): Promise<void> {
  await transaction
    .updateTable('repairs')
    .set({ state: 'RUNNING', amount, changed_at: sql<Date>`now()` })
    .where('id', '=', row.id)
    .execute();
}

/** Ends a repair once, and writes the audit log; an ended one keeps its result. */
export async function endRepair(
  transaction: DatabaseTransaction,
  id: number,
  { state, result }: { readonly state: 'DONE' | 'REFUSED'; readonly result: string },
): Promise<RepairRow> {
  const row = await transaction
    .updateTable('repairs')
    .set({ state, result, changed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', 'in', ['READY', 'RUNNING'])
    .returningAll()
    .executeTakeFirst();
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

/** One entry of the audit log; the subject is what pages show the log of. */
const auditRepair = (
  transaction: DatabaseTransaction,
  row: RepairRow,
  { actor, action }: Pick<AuditEntry, 'actor' | 'action'>,
): Promise<void> =>
  addAuditEntries(transaction, [
    {
      actor,
      action,
      ...(row.voucher_id === null
        ? { subjectKind: row.company_kind, subjectId: row.company_id }
        : { subjectKind: 'voucher', subjectId: row.voucher_id }),
      details: {
        repair: row.id,
        kind: row.kind,
        subject: `${row.subject_kind} ${row.subject_id}`,
        arguments: row.arguments,
        amount: row.amount,
        why: row.why,
        ...(row.confirmed_by === null ? {} : { confirmedBy: row.confirmed_by }),
        ...(row.result === null ? {} : { result: row.result }),
      },
    },
  ]);
