import { sql } from 'kysely';
import type { MobileMoneyProviderName } from '../../domain/providers/provider-names.ts';
import type { Company } from '../../domain/voucher.ts';
import { anyDigest } from '../any-digest.ts';
import { paidAccount } from '../catalogue/payout-account-checks.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { type NumberCount, withNumberCount } from '../limits/number-counts.ts';
import type { RequestDigest } from '../operations/stored-operations.ts';
import { failoversOf, placing, providerOf } from '../positions/placements.ts';

export interface NewRedemption {
  readonly operationId: string;
  readonly requestDigest: string;
  readonly voucherId: number;
  readonly claimId: string | null;
  readonly company: Company;
  readonly merchantId: number;
  /** Decimal strings. */
  readonly toMerchant: string;
  readonly serviceFee: string;
  readonly paymentReference: string;
  readonly platformReference: string;
  readonly payee: readonly { readonly key: string; readonly value: string }[];
  readonly provider: MobileMoneyProviderName;
}

/** A redemption that is recorded, and the provider that has it. */
export interface RecordedRedemption {
  readonly id: number;
  /** The chosen one, or the one that had it before a restore. */
  readonly provider: MobileMoneyProviderName;
  /** A restore lost the rows of an earlier run, which may have sent it. */
  readonly isFoundAgain: boolean;
}

/**
 * Records a redemption before its payment; this freezes its payee.
 *
 * @throws a violation of `numberLimitConstraint` beyond the limit of the owner's number
 */
export async function insertRedemption(
  transaction: DatabaseTransaction,
  redemption: NewRedemption,
  /** Counts it for the number of the voucher's owner. */
  count?: NumberCount,
): Promise<RecordedRedemption> {
  const { lost, placed } = placing({
    kind: 'payment',
    reference: redemption.paymentReference,
    provider: redemption.provider,
    operationId: redemption.operationId,
    voucherId: redemption.voucherId,
    ordered: redemption.toMerchant,
  });
  const { id, lost_at } = await withNumberCount(transaction, count)
    .with('lost', () => lost)
    .with('placed', () => placed)
    .insertInto('redemptions')
    .values({
      operation_id: redemption.operationId,
      request_digest: redemption.requestDigest,
      voucher_id: redemption.voucherId,
      claim_id: redemption.claimId,
      company_kind: redemption.company.kind,
      company_id: redemption.company.id,
      merchant_id: redemption.merchantId,
      to_merchant: redemption.toMerchant,
      service_fee: redemption.serviceFee,
      payment_reference: redemption.paymentReference,
      platform_reference: redemption.platformReference,
      payee: JSON.stringify(redemption.payee),
    })
    .returning('id')
    .returning(
      sql<MobileMoneyProviderName | null>`(select provider from lost limit 1)`.as('lost_at'),
    )
    .executeTakeFirstOrThrow();
  return { id, provider: lost_at ?? redemption.provider, isFoundAgain: lost_at !== null };
}

/**
 * The attempt of a redemption without a key, which identifies it again after a restore: its claim,
 * which has only one redemption, or else the voucher and the number of its redemption.
 */
export async function attemptWithoutKey(
  transaction: DatabaseTransaction,
  voucherId: number,
  claimId: string | null,
): Promise<{ readonly operationId: string; readonly attempt: number }> {
  const { rows } = await sql<{ operationId: string; attempt: number }>`
    select coalesce(claim.operation_id, vouchers.operation_id) as "operationId",
      case when claim.id is null then 1 + (
        select count(1) from redemptions where voucher_id = vouchers.id) else 1 end as attempt
    from vouchers left join voucher_claims as claim on claim.id = ${claimId}
    where vouchers.id = ${voucherId}`.execute(transaction);
  const [found] = rows;
  if (!found) throw new Error('The redemption has no voucher');
  return found;
}

/**
 * SQL expression: the redemptions of a voucher that took or hold a part of it. While the voucher
 * has a balance, each redemption took a part.
 */
export const partialRedemptions = (voucherId: number) => sql<number>`(
  select count(*)::int from redemptions where voucher_id = ${voucherId} and status <> 'VOIDED')`;

/** A locked redemption with the partner of its reserve. */
export const lockRedemption = (transaction: DatabaseTransaction, operationId: string) =>
  transaction
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .innerJoin('merchants', 'merchants.id', 'redemptions.merchant_id')
    .select([
      'redemptions.id',
      'redemptions.status',
      'redemptions.claim_id',
      'redemptions.voucher_id',
      'redemptions.to_merchant',
      'redemptions.service_fee',
      'redemptions.platform_reference',
      'redemptions.payment_reference',
      'redemptions.payee',
      providerOf(sql.ref('redemptions.operation_id')).as('provider'),
      'merchants.merchant_name',
      'vouchers.partner_id',
      'vouchers.serial_number',
    ])
    .where('redemptions.operation_id', '=', operationId)
    .forUpdate(['redemptions', 'vouchers'])
    .executeTakeFirstOrThrow();

/** The payment data of a redemption for the mobile-money provider. */
export const redemptionPayment = (database: Database, operationId: string) =>
  database
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .select([
      'redemptions.payment_reference',
      'redemptions.platform_reference',
      'redemptions.to_merchant',
      'redemptions.payee',
      providerOf(sql.ref('redemptions.operation_id'))
        .$castTo<MobileMoneyProviderName>()
        .as('provider'),
      'redemptions.status',
      'vouchers.serial_number',
      paidAccount.as('account'),
      failoversOf(sql.ref('redemptions.operation_id')).as('failovers'),
    ])
    .where('redemptions.operation_id', '=', operationId)
    .executeTakeFirstOrThrow();

/** The redemption that a voucher is held for, by the keyed digests of the voucher's code. */
export const runningRedemption = (database: Database, codeDigests: readonly Buffer[]) =>
  database
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .select('redemptions.platform_reference')
    .where('vouchers.code_digest', '=', anyDigest(codeDigests))
    .where('redemptions.status', '=', 'HELD')
    .executeTakeFirst();

/** The redemptions on hold with this content, each with its payment's reference. */
export async function heldByContent(
  database: Database,
  request: RequestDigest & { readonly company: Company },
): Promise<{ readonly operationId: string; readonly paymentReference: string }[]> {
  const { company } = request;
  const { rows } = await sql<{ operationId: string; paymentReference: string }>`
    select operations.id as "operationId", payment_reference as "paymentReference"
    from operations join redemptions on redemptions.operation_id = operations.id
    where operations.kind = 'redeem-gift' and operations.company_kind = ${company.kind}
      and operations.company_id = ${company.id}
      and operations.request_digest = ${request.requestDigest}
      and operations.status = 'RUNNING' and redemptions.status = 'HELD'`.execute(database);
  return rows;
}
