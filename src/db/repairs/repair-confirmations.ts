import { type RawBuilder, sql } from 'kysely';
import {
  type RepairSubject,
  repairSubjects,
  resultOfWaiting,
  staffActor,
} from '../../domain/repairs/repair.ts';
import { mayAsStaff, needOfRepair, staffRoles } from '../../domain/staff/staff-role.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { auditRepair, type RepairRow } from './audit-repair.ts';

/**
 * SQL condition on repairs: a person of the service who may confirm, and did not ask. One that was asked for
 * on the command line names nobody for certain, so that nobody can be another person.
 */
export const mayConfirm = (actor: unknown) =>
  sql<boolean>`(${actor} is distinct from asked_by and asked_by like 'staff:%' and ${hasRole(actor, sql`${confirmingRoles}::text[]`)})`;

/** SQL condition: the actor is an account of the service that is not disabled, with one of the roles. */
const hasRole = (actor: unknown, roles: RawBuilder<unknown>) => sql`exists (
  select from staff_accounts as staff join portal_accounts as account on account.id = staff.account_id
  where 'staff:' || account.id = ${actor} and account.disabled_at is null
    and staff.role = any(${roles}))`;

const confirmingRoles = staffRoles.filter((role) => mayAsStaff(role, 'confirm'));

const rolesThatAsk = (subject: RepairSubject) =>
  staffRoles.filter((role) => mayAsStaff(role, needOfRepair(subject)));

/**
 * SQL condition on repairs: who asked may still ask for it. A name of the command line is not that of an
 * account.
 */
export const mayStillAsk = sql<boolean>`(asked_by not like 'staff:%' or ${hasRole(
  sql`asked_by`,
  sql`case ${sql.join(
    repairSubjects.map(
      (subject) => sql`when subject_kind = ${subject} then ${rolesThatAsk(subject)}::text[]`,
    ),
    sql` `,
  )} end`,
)})`;

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

/**
 * Ends a repair that waits for a second person: who asked for it withdraws it, anybody else declines it. False
 * where it does not wait any more.
 */
export async function declineRepair(
  transaction: DatabaseTransaction,
  id: number,
  { actor, why }: { readonly actor: string; readonly why: string },
): Promise<boolean> {
  const row = await transaction
    .updateTable('repairs')
    .set({
      state: 'REFUSED',
      result: sql<string>`case when asked_by = ${actor} then ${resultOfWaiting('WITHDRAWN', why)}
        else ${resultOfWaiting('DECLINED', why)} end`,
      changed_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('state', '=', 'ASKED')
    .returningAll()
    .executeTakeFirst();
  const action = row?.asked_by === actor ? 'withdraw repair' : 'decline repair';
  if (row) await auditRepair(transaction, row, { actor, action });
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
