import { type QueryCreator, type SqlBool, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Company, VoucherOwnership, VoucherStatus } from '../../domain/voucher.ts';
import { anyDigest } from '../any-digest.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { Schema } from '../schema/all-tables.ts';
import { numberLock } from './messages.ts';

/** A locked voucher row, with its expiry by the database's clock. */
export interface LockedVoucher {
  readonly id: number;
  readonly partner_id: number;
  readonly merchant_id: number;
  readonly is_restricted: boolean;
  readonly status: VoucherStatus;
  readonly owner_msisdn: StoredNumber | null;
  readonly serial_number: string;
  readonly remaining: string;
  readonly held: string;
  /** What expiry or cancellation has returned to the partner. */
  readonly returned: string;
  readonly current_claim_id: string | null;
  /** Wrong verification codes over its life. */
  readonly wrong_codes: number;
  readonly is_past_expiry: SqlBool;
}

/** Locks a voucher's row until the transaction ends; every change of a voucher starts here. */
export const lockVoucher = (
  transaction: DatabaseTransaction,
  voucherId: number,
): Promise<LockedVoucher | undefined> => lockedRow(transaction, voucherId).executeTakeFirst();

/**
 * The same, and then the lock of its owner's number (`lockNumber`), in one round trip. What counts
 * messages to the number is a later statement, so that it sees what others have committed.
 */
export const lockVoucherAndOwner = (
  transaction: DatabaseTransaction,
  voucherId: number,
): Promise<LockedVoucher | undefined> =>
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
  'returned',
  'current_claim_id',
  'wrong_codes',
] as const;

const lockedRow = (creator: QueryCreator<Schema>, voucherId: number) =>
  creator
    .selectFrom('vouchers')
    .select(lockedColumns)
    .select(sql<SqlBool>`expires_at <= clock_timestamp()`.as('is_past_expiry'))
    .where('id', '=', voucherId)
    .forUpdate();

/** The data that finds the workflow of a request with a voucher code. */
export interface FoundVoucher extends VoucherOwnership {
  readonly id: number;
  /** The operation that generated it. */
  readonly generationId: string;
  readonly serialNumber: string;
  /** E.164; null for an anonymous one. */
  readonly ownerMsisdn: StoredNumber | null;
  /** The operation of its live claim. */
  readonly claimOperationId: string | null;
  readonly claimWorkflowId: string | null;
}

/** Finds a voucher by its code's keyed digests; a voucher of another partner is not found. */
export const findVoucherByCode = (
  database: Database,
  company: Company,
  codeDigests: readonly Buffer[],
): Promise<FoundVoucher | undefined> =>
  database
    .selectFrom('vouchers')
    .leftJoin('voucher_claims', 'voucher_claims.id', 'vouchers.current_claim_id')
    .select([
      'vouchers.id',
      'vouchers.partner_id as partnerId',
      'vouchers.merchant_id as merchantId',
      'vouchers.is_restricted as isRestricted',
      'vouchers.operation_id as generationId',
      'vouchers.serial_number as serialNumber',
      'vouchers.owner_msisdn as ownerMsisdn',
      'voucher_claims.operation_id as claimOperationId',
      'voucher_claims.workflow_id as claimWorkflowId',
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
