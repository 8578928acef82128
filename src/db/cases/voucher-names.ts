import type { NamedVoucher } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';

/** A redemption with what its workflows are found by. */
export interface NamedRedemption extends NamedVoucher {
  /** Ours: for people, and towards the provider. */
  readonly references: readonly string[];
}

const namesOfVouchers = [
  'vouchers.partner_id as partnerId',
  'vouchers.serial_number as serialNumber',
  'vouchers.owner_msisdn as ownerMsisdn',
] as const;

/** The names of a partner's voucher; undefined where it has none with this id. */
export const findVoucherNames = (
  database: Database,
  { voucherId, partnerId }: { readonly voucherId: number; readonly partnerId: number },
): Promise<NamedVoucher | undefined> =>
  database
    .selectFrom('vouchers')
    .select([...namesOfVouchers, 'vouchers.merchant_id as merchantId'])
    .where('vouchers.id', '=', voucherId)
    .where('vouchers.partner_id', '=', partnerId)
    .executeTakeFirst();

/** The names of a merchant's redemption; undefined where it has none with this id. */
export async function findRedemptionNames(
  database: Database,
  { redemptionId, merchantId }: { readonly redemptionId: number; readonly merchantId: number },
): Promise<NamedRedemption | undefined> {
  const row = await database
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .select([
      ...namesOfVouchers,
      'redemptions.merchant_id as merchantId',
      'redemptions.platform_reference',
      'redemptions.payment_reference',
    ])
    .where('redemptions.id', '=', redemptionId)
    .where('redemptions.merchant_id', '=', merchantId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { platform_reference, payment_reference, ...names } = row;
  return { ...names, references: [platform_reference, payment_reference] };
}
