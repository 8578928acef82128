import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { VoucherStatus } from '../../domain/vouchers/voucher.ts';
import { hasNumber } from '../phone-numbers.ts';
import { declareList, forOperators, listFields, type RowOf } from './list.ts';

const { text, searched, related, integer, decimal, time, shown, lookUp } = listFields;

// A left join, so that counting can omit it.
const vouchersOfMerchants = sql`vouchers left join merchants on merchants.id = merchant_id`;

/** A partner's vouchers. The owner's number cannot be filtered or searched. */
export const voucherList = declareList({
  name: 'vouchers',
  from: () => vouchersOfMerchants,
  where: (partnerId) => sql`vouchers.partner_id = ${partnerId}::bigint`,
  id: sql`vouchers.id`,
  addedAt: sql`vouchers.created_at`,
  sortBy: [['id', 'DESC']],
  fields: {
    id: integer(sql`vouchers.id`),
    createdAt: time(sql`vouchers.created_at`),
    expiresAt: time(sql`expires_at`, 'expirationDate'),
    serialNumber: searched(sql`serial_number`),
    status: text<VoucherStatus>(sql`vouchers.status`),
    // Null for an anonymous voucher.
    ownerMsisdn: shown<StoredNumber | null>(sql`owner_msisdn`),
    merchantId: integer(sql`merchant_id`),
    merchantName: related(sql`merchant_name`),
    amount: decimal(sql`amount`),
    remaining: decimal(sql`remaining`, 'remainingBalance'),
  },
});

/** A voucher as its partner sees it. */
export type ListedVoucher = RowOf<typeof voucherList>;

/** All vouchers. */
export const allVouchers = forOperators(voucherList, {
  from: vouchersOfMerchants,
  where: sql`true`,
  sortBy: voucherList.sortBy,
  fields: {
    partnerId: integer(sql`vouchers.partner_id`),
    held: decimal(sql`held`),
    returned: decimal(sql`returned`),
    // The hash of the owner's number.
    owner: lookUp((hash) => hasNumber('owner_msisdn', hash)),
  },
});

/** A partner's orders of vouchers in bulk. */
export const bulkOrderList = declareList({
  name: 'bulk-orders',
  from: () => sql`bulk_orders`,
  where: (partnerId) => sql`partner_id = ${partnerId}::bigint`,
  id: sql`id`,
  sortBy: [['id', 'DESC']],
  fields: {
    id: integer(sql`id`),
    created_at: time(sql`created_at`, 'createdAt'),
    lines: shown<number>(sql`lines`),
    generated: shown<number>(sql`generated`),
    refused: shown<number>(sql`refused`),
    cancelled: shown<number>(sql`cancelled`),
    cancel_requested_at: shown<Date | null>(sql`cancel_requested_at`),
    ended_at: shown<Date | null>(sql`ended_at`),
  },
});
