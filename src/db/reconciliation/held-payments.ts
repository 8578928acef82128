import type { StoredNumber } from '../../domain/phone.ts';
import type { Company } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';

/** A hold and its request: enough data to resume it. */
interface Held {
  readonly operation_id: string;
  readonly request_id: string;
  readonly request_digest: string;
  readonly company_kind: Company['kind'];
  readonly company_id: number;
}

export interface HeldRedemption extends Held {
  readonly id: number;
  readonly voucher_id: number;
  /** The operation that generated the voucher. */
  readonly generation_id: string;
  /** The operation of the claim; null without one. */
  readonly claim_operation_id: string | null;
  readonly claim_workflow_id: string | null;
  readonly serial_number: string;
  readonly partner_id: number;
  /** Whom the payment is for. */
  readonly merchant_id: number;
  /** Of the voucher; null for an anonymous one. */
  readonly owner_msisdn: StoredNumber | null;
}

export interface HeldAttempt extends Held {
  readonly topup_id: number;
  readonly attempt: number;
  /** The operation of the top-up. */
  readonly creation_id: string;
  readonly workflow_id: string;
  readonly msisdn: StoredNumber;
}

const requestColumns = [
  'operations.request_id',
  'operations.request_digest',
  'operations.company_kind',
  'operations.company_id',
] as const;

/** Redemptions with an unfinished payment, a page in the order of their ids. */
export const heldRedemptions = (
  database: Database,
  page: { readonly afterId: number; readonly limit: number },
): Promise<HeldRedemption[]> =>
  allHeldRedemptions(database)
    .where('redemptions.id', '>', page.afterId)
    .orderBy('redemptions.id')
    .limit(page.limit)
    .execute();

/** The redemption of an operation, as long as its payment is on hold. */
export const heldRedemption = (
  database: Database,
  operationId: string,
): Promise<HeldRedemption | undefined> =>
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
      'redemptions.operation_id',
      'redemptions.voucher_id',
      'vouchers.operation_id as generation_id',
      'voucher_claims.operation_id as claim_operation_id',
      'voucher_claims.workflow_id as claim_workflow_id',
      'vouchers.serial_number',
      'vouchers.partner_id',
      'redemptions.merchant_id',
      'vouchers.owner_msisdn',
      ...requestColumns,
    ])
    .where('redemptions.status', '=', 'HELD');

/** Top-ups with an unfinished attempt, a page in the order of their ids; each has at most one. */
export const heldAttempts = (
  database: Database,
  page: { readonly afterId: number; readonly limit: number },
): Promise<HeldAttempt[]> =>
  allHeldAttempts(database)
    .where('topup_attempts.topup_id', '>', page.afterId)
    .orderBy('topup_attempts.topup_id')
    .limit(page.limit)
    .execute();

/** The attempt of an operation, as long as it is on hold. */
export const heldAttempt = (
  database: Database,
  operationId: string,
): Promise<HeldAttempt | undefined> =>
  allHeldAttempts(database)
    .where('topup_attempts.operation_id', '=', operationId)
    .executeTakeFirst();

const allHeldAttempts = (database: Database) =>
  database
    .selectFrom('topup_attempts')
    .innerJoin('operations', 'operations.id', 'topup_attempts.operation_id')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .select([
      'topup_attempts.topup_id',
      'topup_attempts.attempt',
      'topup_attempts.operation_id',
      'topups.operation_id as creation_id',
      'topups.workflow_id',
      'topup_attempts.msisdn',
      ...requestColumns,
    ])
    .where('topup_attempts.status', '=', 'HELD');
