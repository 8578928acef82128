import { sql } from 'kysely';
import type { Company } from '../../domain/voucher.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { lockName } from '../lock-name.ts';
import type { RepairsTable } from '../schema/all-tables.ts';
import { auditRepair, type RepairRow } from './audit-repair.ts';
import { mayConfirm, mayStillAsk } from './repair-confirmations.ts';

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
    | 'moves_value'
    | 'why'
  > {
  /** Random: the same form sent twice is one repair. */
  readonly requestKey: string;
  readonly operationId: string;
  readonly company: Company | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly askedBy: string;
  readonly needsConfirmation: boolean;
  /** How long it waits for a second person. */
  readonly confirmSeconds: number;
}

/** What one repair of a kind is open for at a time. */
type AskedFor = Pick<NewRepair, 'kind' | 'subject_kind' | 'subject_id'>;

/** Lets those who ask for one thing come one after another: the second one finds the first. */
export const lockAsking = (
  transaction: DatabaseTransaction,
  { kind, subject_id }: AskedFor,
): Promise<void> => lockName(transaction, `repair ${kind} ${subject_id}`);

/** The repair that has not ended; undefined where there is none. */
export const findOpenRepair = (
  transaction: DatabaseTransaction,
  { kind, subject_kind, subject_id }: AskedFor,
): Promise<RepairRow | undefined> =>
  transaction
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
  repair: NewRepair,
): Promise<RepairRow> {
  const { requestKey, operationId, company, askedBy, needsConfirmation, confirmSeconds } = repair;
  const { kind, subject_kind, subject_id, voucher_id, topup_id, sealed_arguments } = repair;
  const { amount, moves_value, why } = repair;
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
      moves_value,
      why,
      request_key: requestKey,
      operation_id: operationId,
      company_kind: company?.kind ?? null,
      company_id: company?.id ?? null,
      arguments: JSON.stringify(repair.arguments),
      asked_by: askedBy,
      needs_confirmation: needsConfirmation,
      confirm_until: sql<Date>`clock_timestamp() + make_interval(secs => ${confirmSeconds})`,
      state: needsConfirmation ? 'ASKED' : 'READY',
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditRepair(transaction, row, { actor: askedBy, action: 'ask repair' });
  return row;
}

/** Locks a repair until the transaction ends, and whether those who asked and confirmed may still do so. */
export const lockRepair = (
  transaction: DatabaseTransaction,
  { repairId, operationId }: { readonly repairId: number; readonly operationId: string },
): Promise<RepairRow & { readonly is_confirmed: boolean; readonly may_still_ask: boolean }> =>
  transaction
    .selectFrom('repairs')
    .selectAll()
    .select([mayConfirm(sql`confirmed_by`).as('is_confirmed'), mayStillAsk.as('may_still_ask')])
    .where('id', '=', repairId)
    .where('operation_id', '=', operationId)
    .forUpdate('repairs')
    .executeTakeFirstOrThrow();

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
