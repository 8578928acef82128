import { sql } from 'kysely';
import type { Operator } from '../../domain/operator.ts';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Route } from '../../domain/providers/routes.ts';
import type { Database } from '../connection.ts';
import { providerReferenceOf } from '../positions/placements.ts';
import { routesOfTopup } from '../providers/provider-routes.ts';
import type { TopupStatus } from '../schema/all-tables.ts';
import { amountOfRetry } from '../topups/topup-state.ts';

/** What a repair of a redemption's payment is judged by. */
export interface PaymentFacts {
  readonly id: number;
  readonly operationId: string;
  /** Our reference for people. */
  readonly reference: string;
  readonly status: 'HELD' | 'POSTED' | 'VOIDED';
  readonly providerReference: string | null;
  /** Decimal string: with the service fee. */
  readonly amount: string;
  readonly voucherId: number;
  readonly serialNumber: string;
  readonly partnerId: number;
  readonly merchantId: number;
  /** 0 until it has ended. */
  readonly secondsSincePayment: number;
  readonly isReversed: boolean;
  readonly hasPendingReversal: boolean;
  /** The open case of it; null where there is none. */
  readonly caseId: number | null;
}

/** Reads the facts of a redemption; undefined where there is none. */
export async function paymentFacts(
  database: Database,
  redemptionId: number,
): Promise<PaymentFacts | undefined> {
  const { rows } = await sql<PaymentFacts>`
    select redemption.id, redemption.operation_id as "operationId",
      platform_reference as reference, redemption.status,
      ${providerReferenceOf(sql`redemption.operation_id`)} as "providerReference", (to_merchant + service_fee)::text as amount,
      voucher_id as "voucherId", serial_number as "serialNumber", vouchers.partner_id as "partnerId",
      redemption.merchant_id as "merchantId",
      coalesce(extract(epoch from clock_timestamp() - settled_at), 0)::float8
        as "secondsSincePayment", redemption.status = 'POSTED' and not redemption.is_done as "isReversed",
      exists (select from redemption_reversals as reversal
        where reversal.redemption_id = redemption.id and reversal.status = 'PENDING')
        as "hasPendingReversal",
      (select min(found.id) from cases as found
        where found.subject = redemption.operation_id and found.closed_at is null) as "caseId"
    from redemptions as redemption join vouchers on vouchers.id = voucher_id
    where redemption.id = ${redemptionId}`.execute(database);
  return rows[0];
}

/** The redemption with this id, or with our reference of it; undefined where there is none. */
export async function redemptionIdOf(
  database: Database,
  name: string,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('redemptions')
    .select('id')
    .where((where) =>
      where.or([
        where('platform_reference', '=', name),
        where('id', '=', /^[0-9]{1,15}$/.test(name) ? Number(name) : 0),
      ]),
    )
    .executeTakeFirst();
  return row && String(row.id);
}

/** What a repair of a top-up is judged by. */
export interface TopupFactsForRepair {
  readonly id: number;
  readonly partnerId: number;
  readonly status: TopupStatus;
  readonly attempt: number;
  /** Of the last attempt. */
  readonly msisdn: StoredNumber;
  /** Of the last attempt; null where there was none. */
  readonly operator: Operator | null;
  /** Those of its kind, for its partner. */
  readonly routes: readonly Route[];
  /**
   * Decimal string: what is on hold or was, and after a failure what another attempt costs. Null for a
   * package that was never held and is gone.
   */
  readonly amount: string | null;
  /** The open case of one of its attempts; null where there is none. */
  readonly caseId: number | null;
  /** The operation of the attempt on hold; null where none is. */
  readonly heldOperationId: string | null;
  readonly providerReference: string | null;
  /** A person decided that an attempt was not delivered, or does so now. */
  readonly wasSettledByHand: boolean;
}

/** Reads the facts of a top-up; undefined where there is none. */
export async function topupFactsForRepair(
  database: Database,
  topupId: number,
): Promise<TopupFactsForRepair | undefined> {
  const { rows } = await sql<TopupFactsForRepair>`
    select topups.id, partner_id as "partnerId", status, attempt, msisdn, operator,
      case when status = 'FAILED' then ${amountOfRetry} else amount end as amount,
      ${routesOfTopup} as routes,
      provider_reference as "providerReference",
      (select min(found.id) from cases as found
        where found.topup_id = topups.id and found.closed_at is null and found.why <> 'unbooked')
        as "caseId",
      (select operation_id from topup_attempts as made
        where made.topup_id = topups.id and made.status = 'HELD') as "heldOperationId",
      exists (select from repairs where repairs.topup_id = topups.id and kind = 'settle-top-up'
        and state in ('RUNNING', 'DONE') and arguments ->> 'outcome' = 'not-done')
        as "wasSettledByHand"
    from topups where topups.id = ${topupId}`.execute(database);
  return rows[0];
}

/** Whether an operation is on hold, or how it ended. */
export async function statusOf(
  database: Database,
  kind: 'redemption' | 'topup',
  operationId: string,
): Promise<'HELD' | 'POSTED' | 'VOIDED'> {
  const { status } = await database
    .selectFrom(kind === 'redemption' ? 'redemptions' : 'topup_attempts')
    .select('status')
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  return status;
}

/** The newest redemptions of a voucher, by their ids. */
export async function redemptionsOfVoucher(
  database: Database,
  voucherId: number,
): Promise<number[]> {
  const rows = await database
    .selectFrom('redemptions')
    .select('id')
    .where('voucher_id', '=', voucherId)
    .orderBy('id', 'desc')
    .limit(10)
    .execute();
  return rows.map(({ id }) => id);
}
