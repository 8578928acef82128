import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** A payment, or the reversal of one, with what names its workflow. */
export interface ReferencedPayment {
  readonly kind: 'payment' | 'reversal';
  readonly operationId: string;
  readonly redemptionId: number;
  /** Who has the payment. */
  readonly provider: string;
  readonly isOpen: boolean;
  /** It has ended as done. */
  readonly isDone: boolean;
  /** The operation that generated the voucher. */
  readonly generationId: string;
  readonly claimOperationId: string | null;
  readonly claimWorkflowId: string | null;
  /** Decimal string: what the payee gets. */
  readonly amount: string;
  readonly payee: readonly { readonly key: string; readonly value: string }[];
}

/** The payment or reversal of a reference, by an index of each; undefined where it is not ours. */
export async function findReferencedPayment(
  database: Database,
  reference: string,
): Promise<ReferencedPayment | undefined> {
  const { rows } = await sql<ReferencedPayment>`
    select found.kind, found.operation_id as "operationId", redemptions.id as "redemptionId",
      redemptions.provider,
      found.is_open as "isOpen", found.is_done as "isDone",
      vouchers.operation_id as "generationId", claim.operation_id as "claimOperationId",
      claim.workflow_id as "claimWorkflowId", to_merchant as amount, payee
    from (
      select 'payment' as kind, operation_id, id as redemption_id, status = 'HELD' as is_open,
        status = 'POSTED' as is_done
      from redemptions where payment_reference = ${reference}::uuid
      union all
      select 'reversal', operation_id, redemption_id, status = 'PENDING', status = 'SUCCESS'
      from redemption_reversals where reference = ${reference}::uuid
    ) as found
    join redemptions on redemptions.id = found.redemption_id
    join vouchers on vouchers.id = redemptions.voucher_id
    left join voucher_claims as claim on claim.id = redemptions.claim_id`.execute(database);
  return rows[0];
}

/** Notes that the provider left the outcome of a payment open. */
export async function notePaymentUnknown(database: Database, operationId: string): Promise<void> {
  await sql`
    update redemptions set unknown_since = now()
    where operation_id = ${operationId} and status = 'HELD' and unknown_since is null`.execute(
    database,
  );
}

/**
 * SQL condition on `redemptions`: no mark says that the payment may have been sent. A restore takes marks
 * back: a row that is older than the restore, or whose payment a provider has since, may have had one.
 */
const isUnmarked = sql<boolean>`(status = 'HELD' and sending_since is null
  and not exists (select from maintenance_fences where raised_at > redemptions.created_at)
  and not exists (select from recovered_payments
    where reference = payment_reference::text and settled_by is distinct from 'provider'))`;

/** Marks a payment before it is sent; false where it may have been sent before. */
export async function markSending(database: Database, operationId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update redemptions set sending_since = now()
    where operation_id = ${operationId} and ${isUnmarked}`.execute(database);
  return numAffectedRows === 1n;
}

/**
 * Whether the mark that precedes each sending proves that nothing was sent. It proves nothing of a row
 * without a provider: its provider is the default, which may have been another one.
 */
export async function wasNeverSent(database: Database, operationId: string): Promise<boolean> {
  const { rows } = await sql`
    select from redemptions
    where operation_id = ${operationId} and provider is not null and ${isUnmarked}`.execute(
    database,
  );
  return rows.length > 0;
}

/** Removes the mark of a payment that was provably not sent, or refused at once. */
export async function forgetSending(database: Database, operationId: string): Promise<void> {
  await sql`
    update redemptions set sending_since = null
    where operation_id = ${operationId} and status = 'HELD'`.execute(database);
}
