import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import { voucherStatuses } from '../../domain/vouchers/voucher.ts';
import type { Sql } from '../connection.ts';
import { hasNumber } from '../phone-numbers.ts';
import {
  anySpelling,
  declareList,
  forOperators,
  isFoundBy,
  listFields,
  type RowOf,
} from './list.ts';

const { choice, searched, related, integer, decimal, time, shown, lookUp } = listFields;

// A left join, so that counting can omit it.
const vouchersOfMerchants = sql`vouchers left join merchants on merchants.id = merchant_id`;

/** SQL query: a partner's vouchers of an owner's number. */
const vouchersOfNumber = (hash: string, partnerId: number) => sql`
  select id from vouchers where partner_id = ${partnerId}::bigint
    and owner_msisdn is not null and ${hasNumber('owner_msisdn', hash)}`;

/** A partner's vouchers. The API can neither filter nor search the owner's number. */
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
    status: choice(voucherStatuses)(sql`vouchers.status`),
    // Null for an anonymous voucher.
    ownerMsisdn: shown<StoredNumber | null>(sql`owner_msisdn`),
    merchantId: integer(sql`merchant_id`),
    merchantName: related(sql`merchant_name`),
    amount: decimal(sql`amount`),
    remaining: decimal(sql`remaining`, 'remainingBalance'),
    // Whether its newest payment was not made.
    isRefused: shown<boolean>(sql`coalesce((
      select redemptions.status = 'VOIDED' and not is_done from redemptions
      where voucher_id = vouchers.id order by redemptions.id desc limit 1), false)`),
  },
  finds: ({ numberHash, serialNumber, uuid, reference }, partnerId) =>
    isFoundBy(
      sql`vouchers.id`,
      serialNumber && sql`select id from vouchers where serial_number = ${serialNumber}`,
      numberHash && vouchersOfNumber(numberHash, partnerId),
      uuid && sql`select voucher_id from redemptions where payment_reference = ${uuid}::uuid`,
      reference &&
        sql`select voucher_id from redemptions where platform_reference = ${anySpelling(reference)}`,
      reference &&
        sql`select voucher_id from placements where provider_reference = ${anySpelling(reference)}`,
      // A partner's own name of a line of a bulk order.
      reference && sql`select voucher_id from bulk_lines where reference = ${reference}`,
    ),
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
  finds({ numberHash, serialNumber, id, reference }, partnerId) {
    const ofVouchers = (vouchers: Sql) =>
      sql`select bulk_order_id from bulk_lines where voucher_id = any(array(${vouchers}))`;
    return isFoundBy(
      sql`bulk_orders.id`,
      id && sql`select ${id}::bigint`,
      serialNumber &&
        ofVouchers(sql`select id from vouchers where serial_number = ${serialNumber}`),
      numberHash && ofVouchers(vouchersOfNumber(numberHash, partnerId)),
      reference && sql`select bulk_order_id from bulk_lines where reference = ${reference}`,
    );
  },
});
