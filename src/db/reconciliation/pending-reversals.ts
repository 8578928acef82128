import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Database } from '../connection.ts';

/** A pending reversal and its request: enough data to resume it. */
export interface PendingReversal {
  readonly id: number;
  readonly redemptionId: number;
  readonly reason: string | null;
  readonly operationId: string;
  readonly requestId: string;
  readonly requestDigest: string;
  readonly companyId: number;
  /** The partner of the voucher, whose merchant was paid. */
  readonly partnerId: number;
  readonly serialNumber: string;
  readonly ownerMsisdn: StoredNumber | null;
  /** Ours: of the redemption, and of the reversal. */
  readonly references: readonly string[];
}

/** The pending reversals, a page in the order of their ids. */
export async function pendingReversals(
  database: Database,
  page: { readonly afterId: number; readonly limit: number },
): Promise<PendingReversal[]> {
  const { rows } = await sql<PendingReversal>`
    select reversal.id, redemption_id as "redemptionId", reason,
      reversal.operation_id as "operationId", request_id as "requestId",
      operations.request_digest as "requestDigest", operations.company_id as "companyId",
      partner_id as "partnerId", serial_number as "serialNumber", owner_msisdn as "ownerMsisdn",
      array[platform_reference, reversal.reference::text] as "references"
    from redemption_reversals as reversal
    join operations on operations.id = reversal.operation_id
    join redemptions on redemptions.id = redemption_id
    join vouchers on vouchers.id = voucher_id
    where reversal.status = 'PENDING' and reversal.id > ${page.afterId}
    order by reversal.id limit ${page.limit}`.execute(database);
  return rows;
}
