import { sql } from 'kysely';
import type { StoredNumber } from '../../../domain/phone.ts';
import type { VoucherStatus } from '../../../domain/voucher.ts';
import { listColumns } from '../../lists/list-columns.ts';
import type { ListSource } from '../../lists/list-query.ts';

/** A voucher as its partner sees it; amounts are decimal strings. */
export interface ListedVoucher {
  readonly id: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly serialNumber: string;
  readonly status: VoucherStatus;
  /** Null for an anonymous voucher. */
  readonly ownerMsisdn: StoredNumber | null;
  readonly merchantId: number;
  readonly merchantName: string;
  readonly amount: string;
  readonly remaining: string;
}

/** A partner's vouchers. The owner's number cannot be filtered or searched. */
export const voucherSource: ListSource<ListedVoucher> = {
  name: 'vouchers',
  select: sql`vouchers.id, vouchers.created_at as "createdAt", expires_at as "expiresAt",
    serial_number as "serialNumber", vouchers.status, owner_msisdn as "ownerMsisdn",
    merchant_id as "merchantId", merchant_name as "merchantName", amount, remaining`,
  // A left join, so that counting can omit it.
  from: () => sql`vouchers left join merchants on merchants.id = merchant_id`,
  where: (partnerId) => sql`vouchers.partner_id = ${partnerId}::bigint`,
  id: sql`vouchers.id`,
  addedAt: sql`vouchers.created_at`,
  columns: {
    id: listColumns.integer(sql`vouchers.id`),
    createdAt: listColumns.time(sql`vouchers.created_at`),
    expirationDate: listColumns.time(sql`expires_at`),
    serialNumber: listColumns.searched(sql`serial_number`),
    status: listColumns.text(sql`vouchers.status`),
    merchantId: listColumns.integer(sql`merchant_id`),
    merchantName: listColumns.related(sql`merchant_name`),
    amount: listColumns.decimal(sql`amount`),
    remainingBalance: listColumns.decimal(sql`remaining`),
  },
};
