import { sql } from 'kysely';
import type { StoredNumber } from '../domain/phone.ts';
import type { RefusedRowKind } from '../domain/refusals.ts';
import { allRows, allValues, changesRow, type Database, firstRow, type Sql } from './connection.ts';
import { type OperationIdentity, requestOfOperation } from './operations.ts';
import { providerOf } from './positions/placements.ts';

export type HeldRedemption = Awaited<ReturnType<typeof heldRedemptions>>[number];

/** Redemptions with an unfinished payment, a page in the order of their ids. */
export const heldRedemptions = (
  database: Database,
  page: { readonly afterId: number; readonly limit: number },
) =>
  allHeldRedemptions(database)
    .where('redemptions.id', '>', page.afterId)
    .orderBy('redemptions.id')
    .limit(page.limit)
    .execute();

/** The redemption of an operation, as long as its payment is on hold. */
export const heldRedemption = (database: Database, operationId: string) =>
  allHeldRedemptions(database)
    .where('redemptions.operation_id', '=', operationId)
    .executeTakeFirst();

const allHeldRedemptions = (database: Database) =>
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
    .where('redemptions.status', '=', 'HELD');

export type HeldAttempt = Awaited<ReturnType<typeof heldAttempts>>[number];

/** Top-ups with an unfinished attempt, a page in the order of their ids; each has at most one. */
export const heldAttempts = (
  database: Database,
  page: { readonly afterId: number; readonly limit: number },
) =>
  allHeldAttempts(database)
    .where('topup_attempts.topup_id', '>', page.afterId)
    .orderBy('topup_attempts.topup_id')
    .limit(page.limit)
    .execute();

/** The attempt of an operation, as long as it is on hold. */
export const heldAttempt = (database: Database, operationId: string) =>
  allHeldAttempts(database)
    .where('topup_attempts.operation_id', '=', operationId)
    .executeTakeFirst();

const allHeldAttempts = (database: Database) =>
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
    .where('topup_attempts.status', '=', 'HELD');

/** The content of a callback of M-Pesa. */
export interface NewMpesaResult {
  /** Whether the result is of the payment itself, or answers an inquiry. */
  readonly kind: 'payment' | 'inquiry';
  /** Our reference of the payment. */
  readonly reference: string;
  /** One for each request to the provider. */
  readonly conversationId: string;
  readonly resultCode: string;
  readonly description: string;
  readonly transactionStatus: string | null;
  readonly receipt: string | null;
  readonly difference: 'reference' | 'amount' | 'payee' | null;
  /** Decimal string. */
  readonly otherAmount: string | null;
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
type FoundResult = Pick<
  NewMpesaResult,
  'resultCode' | 'description' | 'transactionStatus' | 'receipt' | 'difference' | 'otherAmount'
>;

/** SQL condition on `mpesa_results`: our books have an observation of the payment that is newer, and meets a condition. */
const isOutdated = (condition = sql<boolean>`true`) => sql<boolean>`exists (
  select from placements as placement
  where placement.reference = mpesa_results.reference::text and provider = 'mpesa'
    and placement.kind = 'payment' and said_at > received_at and ${condition})`;

/** The results that M-Pesa's adapter reads. */
export const mpesaResultsIn = (database: Database) => ({
  /** The newest result of a payment itself, and whether our books have known otherwise since. */
  async ofPayment(
    reference: string,
  ): Promise<(FoundResult & { readonly isOverruled: boolean }) | undefined> {
    return firstRow<FoundResult & { isOverruled: boolean }>(database)`
      select ${columns}, ${isOutdated(sql`(done > 0) <> (result_code = '0')`)} as "isOverruled"
      from mpesa_results
      where reference = ${reference}::uuid and kind = 'payment'
      order by id desc limit 1`;
  },

  /**
   * The answers to inquiries that were not used before, newest first; marks them as used. An answer that is older than
   * what our books know says nothing new.
   */
  async takeAnswers(reference: string): Promise<readonly FoundResult[]> {
    const rows = await allRows<FoundResult & { id: number; isOutdated: boolean }>(database)`
      update mpesa_results set used_at = now()
      where reference = ${reference}::uuid and kind = 'inquiry' and used_at is null
      returning id, ${columns}, ${isOutdated()} as "isOutdated"`;
    return rows.filter((row) => !row.isOutdated).toSorted((one, other) => other.id - one.id);
  },
});

/** A pending reversal and its request: enough data to resume it. */
export interface PendingReversal {
  readonly id: number;
  readonly redemptionId: number;
  readonly reason: string | null;
  /** The request of the merchant. */
  readonly request: OperationIdentity;
  /** The partner of the voucher, whose merchant was paid. */
  readonly partnerId: number;
  readonly serialNumber: string;
  readonly ownerMsisdn: StoredNumber | null;
  /** Ours: of the redemption, and of the reversal. */
  readonly references: readonly string[];
}

/** The pending reversals, a page in the order of their ids. */
export const pendingReversals = (
  database: Database,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
) => pendingWhere(database, sql`reversal.id > ${afterId} order by reversal.id limit ${limit}`);

/** The reversal of an operation, as long as it is pending. */
export const pendingReversal = async (
  database: Database,
  operationId: string,
): Promise<PendingReversal | undefined> =>
  (await pendingWhere(database, sql`reversal.operation_id = ${operationId}`))[0];

const pendingWhere = (database: Database, selection: Sql) =>
  allRows<PendingReversal>(database)`
    select reversal.id, redemption_id as "redemptionId", reason,
      ${requestOfOperation} as request, partner_id as "partnerId", serial_number as "serialNumber",
      owner_msisdn as "ownerMsisdn",
      array[platform_reference, reversal.reference::text] as "references"
    from redemption_reversals as reversal
    join operations on operations.id = reversal.operation_id
    join redemptions on redemptions.id = redemption_id
    join vouchers on vouchers.id = voucher_id
    where reversal.status = 'PENDING' and ${selection}`;

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
