import { type QueryCreator, type Selectable, type SqlBool, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Company, VoucherStatus } from '../../domain/vouchers/voucher.ts';
import { type Database, type DatabaseTransaction, firstRow } from '../connection.ts';
import { anyDigest } from '../digest-keys.ts';
import type {
  MessagesTable,
  RedemptionsTable,
  Schema,
  VoucherClaimsTable,
} from '../generated/tables.ts';
import { isSlowed } from '../limits/daily-limits.ts';
import type { RowOf } from '../lists/list.ts';
import { allVouchers } from '../lists/vouchers.ts';
import { type MessageFailover, messageFailovers } from '../messages/delivery-reports.ts';
import { numberLock } from '../messages/messages.ts';
import { oldestOpenCase } from '../positions/cases.ts';
import {
  doerOf,
  providerReferenceOf,
  type ShownPlacement,
  shownPlacements,
} from '../positions/placements.ts';
import { newestReversal, type ShownReversal } from './reversals.ts';

/** A locked voucher row, with its expiry by the database's clock. */
export type LockedVoucher = NonNullable<Awaited<ReturnType<typeof lockVoucher>>>;

/** Locks a voucher's row until the transaction ends; every change of a voucher starts here. */
export const lockVoucher = (transaction: DatabaseTransaction, voucherId: number) =>
  lockedRow(transaction, voucherId).executeTakeFirst();

/**
 * Locks a voucher's row, and then the number of its owner (`lockNumber`), in one round trip. A later statement counts
 * the messages to the number, so that it sees the commits of others.
 */
export const lockVoucherAndOwner = (transaction: DatabaseTransaction, voucherId: number) =>
  transaction
    .with(
      (name) => name('voucher').materialized(),
      (within) => lockedRow(within, voucherId),
    )
    .selectFrom('voucher')
    .select([...lockedColumns, 'is_past_expiry'])
    // Without an owner there is nothing to lock: the functions are strict.
    .select(numberLock(sql.ref('owner_msisdn')).as('number_lock'))
    .executeTakeFirst();

const lockedColumns = [
  'id',
  'partner_id',
  'merchant_id',
  'is_restricted',
  'status',
  'owner_msisdn',
  'serial_number',
  'remaining',
  'held',
  // The amount that has gone back to the partner after the end of the voucher.
  'returned',
  'current_claim_id',
  // Over the life of the voucher.
  'wrong_codes',
] as const;

const lockedRow = (creator: QueryCreator<Schema>, voucherId: number) =>
  creator
    .selectFrom('vouchers')
    .select(lockedColumns)
    .select(sql<SqlBool>`expires_at <= clock_timestamp()`.as('is_past_expiry'))
    .where('id', '=', voucherId)
    .forNoKeyUpdate();

/** The data that finds the workflow of a request with a voucher code. */
export type FoundVoucher = NonNullable<Awaited<ReturnType<typeof findVoucherByCode>>>;

/** Finds a voucher by its code's keyed digests; a voucher of another partner is not found. */
export const findVoucherByCode = (
  database: Database,
  company: Company,
  codeDigests: readonly Buffer[],
  slowing: Parameters<typeof isSlowed>[1],
) =>
  database
    .selectFrom('vouchers')
    .innerJoin('partners', 'partners.id', 'vouchers.partner_id')
    .innerJoin('merchants', 'merchants.id', 'vouchers.merchant_id')
    .leftJoin('voucher_claims', 'voucher_claims.id', 'vouchers.current_claim_id')
    .select([
      'vouchers.id',
      'vouchers.partner_id as partnerId',
      'partners.company_name as partner',
      'vouchers.merchant_id as merchantId',
      'merchants.merchant_name as merchant',
      'vouchers.remaining',
      'vouchers.is_restricted as isRestricted',
      // The operation that generated it.
      'vouchers.operation_id as generationId',
      'vouchers.serial_number as serialNumber',
      // Null for an anonymous voucher.
      'vouchers.owner_msisdn as ownerMsisdn',
      // The operation of its live claim.
      'voucher_claims.operation_id as claimOperationId',
      'voucher_claims.workflow_id as claimWorkflowId',
      // Whether the company that asks compares its verification codes one at a time.
      isSlowed(company, slowing).as('isSlowed'),
    ])
    .where('vouchers.code_digest', '=', anyDigest(codeDigests))
    .$if(company.kind === 'partner', (query) => query.where('vouchers.partner_id', '=', company.id))
    .executeTakeFirst();

/** A voucher with the fee percentage of the requesting merchant. */
export const voucherDetail = (
  database: Database,
  merchantId: number,
  codeDigests: readonly Buffer[],
) =>
  database
    .selectFrom('vouchers')
    .innerJoin('merchants', (join) => join.on('merchants.id', '=', merchantId))
    .select([
      'vouchers.id',
      'vouchers.serial_number',
      'vouchers.amount',
      'vouchers.remaining',
      'vouchers.status',
      'vouchers.expires_at',
      'vouchers.partner_id as partnerId',
      'vouchers.merchant_id as merchantId',
      'vouchers.is_restricted as isRestricted',
      'merchants.service_fee_percent',
      'merchants.status as merchant_status',
    ])
    .where('vouchers.code_digest', '=', anyDigest(codeDigests))
    .where('vouchers.status', '<>', 'CANCELLED')
    .executeTakeFirst();

/** Times are texts in ISO 8601; amounts are decimal strings. */
interface Claim {
  readonly id: string;
  readonly operationId: string;
  readonly workflowId: string;
  readonly at: string;
  readonly company: string;
  readonly expiresAt: string;
  /** Null is the whole balance. */
  readonly amount: string | null;
  readonly status: Selectable<VoucherClaimsTable>['status'];
}

interface Redemption {
  readonly id: number;
  readonly claimId: string | null;
  readonly at: string;
  readonly settledAt: string | null;
  /** When it was found paid after it had been refused, or taken back after it had been paid. */
  readonly lateAt: string | null;
  readonly takenBackAt: string | null;
  /** Whether the voucher pays for it now. */
  readonly charged: boolean;
  readonly operationId: string;
  readonly merchantId: number;
  readonly merchant: string;
  readonly toMerchant: string;
  readonly serviceFee: string;
  readonly status: Selectable<RedemptionsTable>['status'];
  readonly reference: string;
  /** Our reference towards the provider. */
  readonly paymentReference: string;
  readonly provider: string;
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  readonly notDoneBy: Selectable<RedemptionsTable>['not_done_by'];
  /** The open case of the payment; null where there is none. */
  readonly caseId: number | null;
  readonly reversal: ShownReversal | null;
  /** At least one: the provider of each sending, and of a reversal. */
  readonly placements: readonly ShownPlacement[];
}

interface Message {
  readonly claimId: string | null;
  readonly redemptionId: number | null;
  /** Whether a person asked to send the message once more; such a message names neither claim nor redemption. */
  readonly isAgain: boolean;
  readonly at: string;
  readonly kind: MessagesTable['kind'];
  readonly msisdn: StoredNumber;
  readonly status: Selectable<MessagesTable>['status'];
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  /** The later report of the provider; null: none. */
  readonly delivery: Selectable<MessagesTable>['delivery'];
  readonly deliveryAt: string | null;
  readonly deliveryReason: string | null;
  readonly provider: string | null;
  readonly failovers: readonly MessageFailover[];
}

interface Move {
  readonly at: string;
  readonly from: VoucherStatus;
  readonly to: VoucherStatus;
}

/** A voucher with its history, each kind of event oldest first. Never its code. */
export interface VoucherDetail extends RowOf<typeof allVouchers> {
  /** The name of its partner. */
  readonly partner: string;
  readonly isRestricted: boolean;
  readonly denominationId: number;
  /** Decimal string: the selling price at the generation. */
  readonly sellingPriceUsd: string;
  readonly operationId: string;
  /** The order that generated it; null where it was generated by itself. */
  readonly bulkOrder: { readonly id: number; readonly operationId: string } | null;
  /** The changes of the status. */
  readonly moves: readonly Move[];
  readonly claims: readonly Claim[];
  readonly redemptions: readonly Redemption[];
  readonly messages: readonly Message[];
  /** Time of its expiry or cancellation. */
  readonly endedAt: Date | null;
}

/**
 * A voucher with its history in one snapshot: any for an operator, its own for a partner; a voucher of
 * another partner is not found.
 */
export function findVoucherDetail(
  database: Database,
  voucherId: number,
  viewer: 'operator' | { readonly partnerId: number },
) {
  const isSeen = viewer === 'operator' ? sql`true` : sql`vouchers.partner_id = ${viewer.partnerId}`;
  return firstRow<VoucherDetail>(database)`
    select ${allVouchers.select}, is_restricted as "isRestricted", selling_price_usd as "sellingPriceUsd",
      (select company_name from partners where partners.id = vouchers.partner_id) as partner,
      vouchers.denomination_id as "denominationId", operation_id as "operationId", (${bulkOrder}) as "bulkOrder",
      (select max(changed_at) from voucher_status_changes
        where voucher_id = vouchers.id and to_status in ('EXPIRED', 'CANCELLED')) as "endedAt",
      (${moves}) as moves, (${claims}) as claims, (${redemptions}) as redemptions, (${messages}) as messages
    from vouchers join merchants on merchants.id = vouchers.merchant_id
    where vouchers.id = ${voucherId} and ${isSeen}`;
}

const bulkOrder = sql`
  select json_build_object('id', bulk_orders.id, 'operationId', bulk_orders.operation_id)
  from bulk_lines join bulk_orders on bulk_orders.id = bulk_order_id
  -- A later order whose line has the same reference names the same voucher.
  where bulk_lines.voucher_id = vouchers.id order by bulk_orders.id limit 1`;

const moves = sql`
  select coalesce(json_agg(json_build_object('at', changed_at, 'from', from_status, 'to', to_status)
    order by id), '[]')
  from voucher_status_changes where voucher_id = vouchers.id`;

const claims = sql`
  select coalesce(json_agg(json_build_object('id', claim.id, 'operationId', claim.operation_id,
    'workflowId', claim.workflow_id, 'at', claim.created_at,
    'expiresAt', claim.expires_at, 'status', claim.status,
    'amount', claim.amount::text, 'company', coalesce(by_merchant.merchant_name, company_name))
    order by claim.created_at, claim.id), '[]')
  from voucher_claims as claim
  left join merchants as by_merchant
    on claim.company_kind = 'merchant' and by_merchant.id = claim.company_id
  left join partners on claim.company_kind = 'partner' and partners.id = claim.company_id
  where claim.voucher_id = vouchers.id`;

const redemptions = sql`
  select coalesce(json_agg(json_build_object('id', redemption.id, 'claimId', redemption.claim_id,
    'at', redemption.created_at,
    'settledAt', settled_at, 'charged', charged,
    'lateAt', case when redemption.status = 'VOIDED' and is_done then changed_at end,
    'takenBackAt', case when redemption.status = 'POSTED' and not is_done then changed_at end,
    'operationId', redemption.operation_id, 'merchantId', payee.id, 'merchant', payee.merchant_name,
    'toMerchant', to_merchant::text, 'serviceFee', service_fee::text,
    'status', redemption.status, 'reference', platform_reference,
    'paymentReference', payment_reference,
    'provider', ${doerOf(sql`redemption.operation_id`)},
    'providerReference', ${providerReferenceOf(sql`redemption.operation_id`)},
    'providerMessage', provider_message, 'notDoneBy', not_done_by,
    'caseId', ${oldestOpenCase(sql`found.subject = redemption.operation_id`)},
    'reversal', ${newestReversal(sql`redemption.id`)},
    'placements', ${shownPlacements(sql`redemption.operation_id`)})
    order by redemption.id), '[]')
  from redemptions as redemption
  join merchants as payee on payee.id = redemption.merchant_id
  where redemption.voucher_id = vouchers.id`;

const messages = sql`
  select coalesce(json_agg(json_build_object('claimId', message.claim_id,
    'redemptionId', message.redemption_id,
    'isAgain', exists (select from message_resends where message_id = message.id), 'at', coalesce(settled_at, message.created_at),
    'kind', kind, 'msisdn', msisdn, 'status', message.status,
    'providerReference', provider_reference, 'providerMessage', provider_message,
    'delivery', delivery, 'deliveryAt', delivery_at, 'deliveryReason', delivery_reason,
    'provider', message.provider,
    'failovers', ${messageFailovers(sql`message.id`)}) order by message.id), '[]')
  from messages as message where message.voucher_id = vouchers.id`;
