import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './connection.ts';
import type { OperatorCommandsTable } from './generated/tables.ts';
import { hasNumber } from './phone-numbers.ts';

/** An operator's command for one more attempt of a failed top-up. */
export type OperatorRetry = Pick<OperatorCommandsTable, 'topup_id' | 'attempt' | 'msisdn'>;

/** Records one to the same number for a worker; undefined where this attempt is already queued. */
export const requestRetry = (
  transaction: DatabaseTransaction,
  retry: Omit<OperatorRetry, 'msisdn'> & { readonly actor: string },
): Promise<{ readonly id: number } | undefined> =>
  transaction
    .insertInto('operator_commands')
    .values({ kind: 'retry-topup', ...retry, msisdn: null })
    .onConflict((conflict) =>
      conflict.columns(['topup_id', 'attempt']).where('taken_at', 'is', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();

/**
 * Records the attempt of a repair, which makes it itself: no worker picks it up. Returns its id, the same
 * for the same repair.
 */
export async function requestRetryOfRepair(
  transaction: DatabaseTransaction,
  retry: OperatorRetry & { readonly actor: string; readonly repair_id: number },
): Promise<number> {
  const { id } = await transaction
    .insertInto('operator_commands')
    .values({ kind: 'retry-topup', ...retry, taken_at: sql<Date>`now()` })
    .onConflict((conflict) =>
      // A no-op update, because only an updated row is returned.
      conflict
        .column('repair_id')
        .doUpdateSet({ repair_id: (row) => row.ref('excluded.repair_id') }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Retries that no workflow has accepted yet, with the owner of each top-up. */
export const retriesToTakeUp = (database: Database, limit: number) =>
  recordedRetries(database)
    .where('taken_at', 'is', null)
    .orderBy('operator_commands.id')
    .limit(limit)
    .execute();

/** One recorded retry. */
export const recordedRetry = (database: Database, id: number) =>
  recordedRetries(database).where('operator_commands.id', '=', id).executeTakeFirstOrThrow();

/** A retry with the owner of its top-up. */
export type RecordedOperatorRetry = Awaited<ReturnType<typeof recordedRetry>>;

const recordedRetries = (database: Database) =>
  database
    .selectFrom('operator_commands')
    .innerJoin('topups', 'topups.id', 'topup_id')
    .select([
      'operator_commands.id',
      'topup_id',
      'operator_commands.attempt',
      'operator_commands.msisdn',
      'topups.msisdn as previous',
      'topups.partner_id',
      'topups.workflow_id as workflowId',
    ]);

export async function markRetryTaken(database: Database, id: number): Promise<void> {
  await database
    .updateTable('operator_commands')
    .set({ taken_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** Whether an operator has requested exactly this attempt; checked before money moves. */
export async function isRequestedRetry(
  database: Database,
  commandId: number,
  retry: Pick<OperatorRetry, 'topup_id' | 'attempt'> & {
    /** Of the new number; null where it stays. */
    readonly numberHash: string | null;
  },
): Promise<boolean> {
  const found = await database
    .selectFrom('operator_commands')
    .select('id')
    .where('id', '=', commandId)
    .where('topup_id', '=', retry.topup_id)
    .where('attempt', '=', retry.attempt)
    .where((where) =>
      retry.numberHash === null
        ? where('msisdn', 'is', null)
        : hasNumber('msisdn', retry.numberHash),
    )
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * The provider that the repair of a command wants for its attempt; null where the routes decide, as for
 * every other command.
 */
export async function wantedProvider(
  database: Database,
  commandId: number,
): Promise<string | null> {
  const { rows } = await sql<{ provider: string | null }>`
    select arguments ->> 'provider' as provider
    from operator_commands as command join repairs on repairs.id = command.repair_id
    where command.id = ${commandId}`.execute(database);
  return rows[0]?.provider ?? null;
}
