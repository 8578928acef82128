import { sql } from 'kysely';
import { LATE_SUCCESS_SETTLEMENT } from '../domain/statement-words.js';
import type { Database, DatabaseTransaction } from './connection.js';

/** What was given back because its provider refused it, and is asked about once more. */
export interface Recheck {
  readonly kind: 'redemption' | 'topup';
  readonly operationId: string;
}

/** The provider is asked so long after the money was given back, and for the last time later. */
export const firstRecheck = sql<Date>`now() + interval '10 minutes'`;
const LAST_RECHECK = sql`interval '24 hours'`;
/** When it has not answered: how soon it is asked again, and for how long. */
const PAUSE = sql`interval '10 minutes'`;
const PATIENCE = sql`interval '3 days'`;

/** What is due to be asked about, the longest due first. */
export async function dueRechecks(database: Database, limit: number): Promise<Recheck[]> {
  const { rows } = await sql<Recheck>`
    select kind, "operationId" from (
      select 'redemption' as kind, operation_id as "operationId", recheck_at from redemptions
      where recheck_at <= now()
      union all
      select 'topup', operation_id, recheck_at from topup_attempts where recheck_at <= now()
    ) as due
    order by recheck_at limit ${limit}`.execute(database);
  return rows;
}

/** What was given back, its row locked: what the provider's late word would cost. */
export interface GivenBack {
  readonly partner_id: number;
  /** Our reference towards the provider. */
  readonly reference: string;
  /** Decimal string: what the provider was to get. */
  readonly amount: string;
  /** Of a top-up: the number that the partner knows, and its attempt. */
  readonly topup_id: number | null;
  readonly attempt: number | null;
  /** The service's own reference of a redemption. */
  readonly platform_reference: string | null;
  readonly is_contradicted: boolean;
  /** A late success was booked and somebody has borne it: there is nothing more to book. */
  readonly is_settled: boolean;
}

const isSettled = (operationId: string) => sql`exists (
  select from ledger_transfers
  where operation_id = ${operationId} and step = ${LATE_SUCCESS_SETTLEMENT})`;

/** Reads it; undefined where nothing was given back under this operation. */
export async function findGivenBack(
  database: Database,
  { kind, operationId }: Recheck,
): Promise<GivenBack | undefined> {
  const { rows } =
    kind === 'redemption'
      ? await sql<GivenBack>`
          select vouchers.partner_id, payment_reference as reference, to_merchant as amount,
            null as topup_id, null as attempt, platform_reference,
            contradicted_at is not null as is_contradicted, ${isSettled(operationId)} as is_settled
          from redemptions join vouchers on vouchers.id = voucher_id
          where redemptions.operation_id = ${operationId} and redemptions.status = 'VOIDED'
          for no key update of redemptions`.execute(database)
      : // A later attempt may have another price: the ledger knows what this one held.
        await sql<GivenBack>`
          select topups.partner_id, reference, topup_id, topup_attempts.attempt,
            null as platform_reference,
            (select amount from ledger_transfers
              where operation_id = ${operationId} and step = 'hold') as amount,
            contradicted_at is not null as is_contradicted, ${isSettled(operationId)} as is_settled
          from topup_attempts join topups on topups.id = topup_id
          where topup_attempts.operation_id = ${operationId}
            and topup_attempts.status = 'VOIDED'
          for no key update of topup_attempts`.execute(database);
  return rows[0];
}

const tableOf = ({ kind }: Recheck) =>
  sql.table(kind === 'redemption' ? 'redemptions' : 'topup_attempts');

/** Notes that the provider still says no, or has not answered, and when it is asked again. */
export async function postponeRecheck(
  database: Database,
  recheck: Recheck,
  answer: 'still-refused' | 'unknown',
): Promise<void> {
  const next =
    answer === 'still-refused'
      ? sql`case when now() < settled_at + ${LAST_RECHECK} then settled_at + ${LAST_RECHECK} end`
      : sql`case when now() < settled_at + ${PATIENCE} then now() + ${PAUSE} end`;
  await sql`
    update ${tableOf(recheck)} set recheck_at = ${next}
    where operation_id = ${recheck.operationId} and contradicted_at is null`.execute(database);
}

/** Notes that the provider did it after all; there is nothing more to ask. */
export async function recordContradiction(
  transaction: DatabaseTransaction,
  recheck: Recheck,
): Promise<void> {
  await sql`
    update ${tableOf(recheck)} set recheck_at = null, contradicted_at = now()
    where operation_id = ${recheck.operationId}`.execute(transaction);
}

/** Notes that the provider has taken it back: it is refused as it was, and may be tried again. */
export async function withdrawContradiction(
  transaction: DatabaseTransaction,
  recheck: Recheck,
): Promise<void> {
  await sql`
    update ${tableOf(recheck)} set contradicted_at = null
    where operation_id = ${recheck.operationId}`.execute(transaction);
}

/** Has a failed top-up asked about at the next reconciliation, because its provider has news. */
export async function wantRecheck(database: Database, reference: string): Promise<void> {
  await database
    .updateTable('topup_attempts')
    .set({ recheck_at: sql<Date>`now()` })
    .where('reference', '=', reference)
    .where('status', '=', 'VOIDED')
    .where('contradicted_at', 'is', null)
    .execute();
}
