import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import { providerOf } from '../positions/placements.ts';

/** A payment, or the reversal of one, with what names its workflow. */
export interface ReferencedPayment {
  readonly kind: 'payment' | 'reversal';
  /** Ours, towards the provider. */
  readonly reference: string;
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
    select found.kind, ${reference} as reference, found.operation_id as "operationId", redemptions.id as "redemptionId",
      ${providerOf(sql`found.payment_operation_id`)} as provider,
      found.is_open as "isOpen", found.is_done as "isDone",
      vouchers.operation_id as "generationId", claim.operation_id as "claimOperationId",
      claim.workflow_id as "claimWorkflowId", to_merchant as amount, payee
    from (
      select 'payment' as kind, operation_id, operation_id as payment_operation_id,
        id as redemption_id, status = 'HELD' as is_open, is_done
      from redemptions where payment_reference = ${reference}::uuid
      union all
      select 'reversal', reversal.operation_id, redemptions.operation_id, redemption_id,
        reversal.status = 'PENDING', reversal.status = 'SUCCESS'
      from redemption_reversals as reversal join redemptions on redemptions.id = redemption_id
      where reference = ${reference}::uuid
    ) as found
    join redemptions on redemptions.id = found.redemption_id
    join vouchers on vouchers.id = redemptions.voucher_id
    left join voucher_claims as claim on claim.id = redemptions.claim_id`.execute(database);
  return rows[0];
}
