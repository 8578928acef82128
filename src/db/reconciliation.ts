import { sql } from 'kysely';
import type { MpesaResult } from '../domain/mpesa.ts';
import type { RefusedRowKind } from '../domain/refusals.ts';
import { allRows, allValues, changesRow, type Database, firstRow, type Sql } from './connection.ts';
import { requestOfOperation } from './operations.ts';
import { providerOf } from './positions/placements.ts';

/** A page of open rows in the order of their ids, or the open row of one operation. */
type Wanted =
  | { readonly afterId: number; readonly limit: number }
  | { readonly operationId: string };

const isWanted = (table: string, id: string, wanted: Wanted) =>
  'operationId' in wanted
    ? sql<boolean>`${sql.ref(`${table}.operation_id`)} = ${wanted.operationId}`
    : sql<boolean>`${sql.ref(`${table}.${id}`)} > ${wanted.afterId}`;

/** An operation has one open row at most. */
const limitOf = (wanted: Wanted) => ('limit' in wanted ? wanted.limit : 1);

export type HeldRedemption = Awaited<ReturnType<typeof heldRedemptions>>[number];

/** Redemptions with an unfinished payment. */
export const heldRedemptions = (database: Database, wanted: Wanted) =>
  database
    .selectFrom('redemptions')
    .innerJoin('operations', 'operations.id', 'redemptions.operation_id')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .leftJoin('voucher_claims', 'voucher_claims.id', 'redemptions.claim_id')
    .select([
      'redemptions.id',
      'redemptions.voucher_id as voucherId',
      // The operation that generated the voucher, and that of the claim; null without one.
      'vouchers.operation_id as generationId',
      'voucher_claims.operation_id as claimOperationId',
      'voucher_claims.workflow_id as claimWorkflowId',
      'vouchers.serial_number as serialNumber',
      'vouchers.partner_id as partnerId',
      // Of the payment.
      'redemptions.merchant_id as merchantId',
      // Null for an anonymous voucher.
      'vouchers.owner_msisdn as ownerMsisdn',
      requestOfOperation.as('request'),
    ])
    .where('redemptions.status', '=', 'HELD')
    .where(isWanted('redemptions', 'id', wanted))
    .orderBy('redemptions.id')
    .limit(limitOf(wanted))
    .execute();

export type HeldAttempt = Awaited<ReturnType<typeof heldAttempts>>[number];

/** Top-ups with an unfinished attempt; each has at most one. */
export const heldAttempts = (database: Database, wanted: Wanted) =>
  database
    .selectFrom('topup_attempts')
    .innerJoin('operations', 'operations.id', 'topup_attempts.operation_id')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .select([
      'topup_attempts.topup_id as id',
      'topup_attempts.attempt',
      // The operation of the top-up.
      'topups.operation_id as creationId',
      'topups.workflow_id as workflowId',
      'topup_attempts.msisdn',
      requestOfOperation.as('request'),
    ])
    .where('topup_attempts.status', '=', 'HELD')
    .where(isWanted('topup_attempts', 'topup_id', wanted))
    .orderBy('topup_attempts.topup_id')
    .limit(limitOf(wanted))
    .execute();

/** The result of an order at M-Pesa, to be stored. */
export interface NewMpesaResult extends MpesaResult {
  /** Whether the result is of the payment itself, or answers an inquiry. */
  readonly kind: 'payment' | 'inquiry';
  /** Our reference of the payment. */
  readonly reference: string;
  /** One for each request to the provider. */
  readonly conversationId: string;
}

/**
 * Stores a result once. False where it was stored before and an inquiry has used it; until then the callback that
 * brought it may have been lost before anybody was told.
 */
export async function addMpesaResult(database: Database, result: NewMpesaResult): Promise<boolean> {
  const isNew = await database
    .insertInto('mpesa_results')
    .values({
      kind: result.kind,
      reference: result.reference,
      conversation_id: result.conversationId,
      result_code: result.resultCode,
      description: result.description,
      transaction_status: result.transactionStatus,
      receipt: result.receipt,
      difference: result.difference,
      other_amount: result.otherAmount,
    })
    .onConflict((conflict) =>
      conflict.columns(['reference', 'kind', 'conversation_id']).doNothing(),
    )
    .$call(changesRow);
  if (isNew) return true;
  const unused = await database
    .selectFrom('mpesa_results')
    .select('id')
    .where('reference', '=', result.reference)
    .where('kind', '=', result.kind)
    .where('conversation_id', '=', result.conversationId)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return unused !== undefined;
}

const columns = sql`result_code as "resultCode", description,
  transaction_status as "transactionStatus", receipt, difference, other_amount::text as "otherAmount"`;

/** SQL condition on `mpesa_results`: our books have an observation of the payment that is newer, and meets a condition. */
const isOutdated = (condition = sql<boolean>`true`) => sql<boolean>`exists (
  select from placements as placement
  where placement.reference = mpesa_results.reference::text and provider = 'mpesa'
    and placement.kind = 'payment' and said_at > received_at and ${condition})`;

/** The results that M-Pesa's adapter reads. */
export const mpesaResultsIn = (database: Database) => ({
  /** The newest result of a payment itself, and whether our books have known otherwise since. */
  ofPayment: (reference: string) =>
    firstRow<MpesaResult & { isOverruled: boolean }>(database)`
      select ${columns}, ${isOutdated(sql`(done > 0) <> (result_code = '0')`)} as "isOverruled"
      from mpesa_results
      where reference = ${reference}::uuid and kind = 'payment'
      order by id desc limit 1`,

  /**
   * The answers to inquiries that were not used before, newest first; marks them as used. An answer that is older than
   * what our books know says nothing new.
   */
  async takeAnswers(reference: string) {
    const rows = await allRows<MpesaResult & { id: number; isOutdated: boolean }>(database)`
      update mpesa_results set used_at = now()
      where reference = ${reference}::uuid and kind = 'inquiry' and used_at is null
      returning id, ${columns}, ${isOutdated()} as "isOutdated"`;
    return rows.filter((row) => !row.isOutdated).toSorted((one, other) => other.id - one.id);
  },
});

/** A pending reversal and its request: enough data to resume it. */
export type PendingReversal = Awaited<ReturnType<typeof pendingReversals>>[number];

/** The pending reversals. */
export const pendingReversals = (database: Database, wanted: Wanted) =>
  database
    .selectFrom('redemption_reversals')
    .innerJoin('operations', 'operations.id', 'redemption_reversals.operation_id')
    .innerJoin('redemptions', 'redemptions.id', 'redemption_reversals.redemption_id')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .select([
      'redemption_reversals.id',
      'redemption_reversals.redemption_id as redemptionId',
      'redemption_reversals.reason',
      // The partner of the voucher, whose merchant was paid.
      'vouchers.partner_id as partnerId',
      'vouchers.serial_number as serialNumber',
      'vouchers.owner_msisdn as ownerMsisdn',
      // Of the merchant.
      requestOfOperation.as('request'),
      // Ours: of the redemption, and of the reversal.
      sql<string[]>`array[platform_reference, redemption_reversals.reference::text]`.as(
        'references',
      ),
    ])
    .where('redemption_reversals.status', '=', 'PENDING')
    .where(isWanted('redemption_reversals', 'id', wanted))
    .orderBy('redemption_reversals.id')
    .limit(limitOf(wanted))
    .execute();

/** A payment, or the reversal of one, with what names its workflow. */
export interface ReferencedPayment {
  readonly kind: 'payment' | 'reversal';
  /** Ours, towards the provider. */
  readonly reference: string;
  readonly operationId: string;
  readonly redemptionId: number;
  /** The provider that has the payment. */
  readonly provider: string;
  readonly isOpen: boolean;
  /** Whether the payment ended as done. */
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
export const findReferencedPayment = (database: Database, reference: string) =>
  firstRow<ReferencedPayment>(database)`
    select found.kind, ${reference} as reference, found.operation_id as "operationId", redemptions.id as "redemptionId",
      found.provider, found.is_open as "isOpen", found.is_done as "isDone",
      vouchers.operation_id as "generationId", claim.operation_id as "claimOperationId",
      claim.workflow_id as "claimWorkflowId", to_merchant as amount, payee
    from (
      select 'payment' as kind, operation_id, id as redemption_id, status = 'HELD' as is_open, is_done,
        ${providerOf(sql`redemptions.operation_id`)} as provider
      from redemptions where payment_reference = ${reference}::uuid
      union all
      select 'reversal', operation_id, redemption_id, status = 'PENDING', status = 'SUCCESS',
        (select provider from placements where placements.reference = ${reference} limit 1)
      from redemption_reversals where reference = ${reference}::uuid
    ) as found
    join redemptions on redemptions.id = found.redemption_id
    join vouchers on vouchers.id = redemptions.voucher_id
    left join voucher_claims as claim on claim.id = redemptions.claim_id`;

/** SQL query: the rows that neither an expiry run nor another process has ended. */
const left: Readonly<Record<RefusedRowKind, (ids: readonly string[]) => Sql>> = {
  claim: (ids) => sql`
    select id from voucher_claims where id = any(${ids}::text[]) and status = 'OPEN'`,
  'top-up': (ids) => sql`
    select id::text from topups where id = any(${ids}::bigint[]) and status = 'PENDING'`,
  retry: (ids) => sql`
    select operation_id as id from topup_retries
    where operation_id = any(${ids}::text[]) and is_open`,
  reminder: (ids) => sql`
    select id::text from vouchers
    where id = any(${ids}::bigint[]) and status = 'ACTIVE' and reminded_at is null
      and expires_at > now()`,
};

/** The ids of refused rows that are still to be ended. */
export const listRefusedRowsLeft = (
  database: Database,
  kind: RefusedRowKind,
  ids: readonly string[],
) => allValues<string>(database)`${left[kind](ids)}`;
