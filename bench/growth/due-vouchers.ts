import { sql } from 'kysely';
import { AMOUNT } from './history.ts';
import type { Side } from './side.ts';

/** Vouchers of the measured companies that are due at once, as generating them leaves them. */
export async function addDueVouchers(
  { service, partner, merchant }: Side,
  count: number,
): Promise<void> {
  await sql`
    with voucher as (
      insert into vouchers (operation_id, request_digest, partner_id, merchant_id, denomination_id,
        serial_number, code_digest, code_ciphertext, is_restricted, amount, remaining, expires_at,
        selling_price_usd)
      select gen_random_uuid()::text, 'due', ${partner.id}::bigint, ${merchant.id}::bigint,
        ${partner.denominations[AMOUNT]}::bigint, 'due-' || gen_random_uuid(),
        sha256(uuid_send(gen_random_uuid())), '', true, ${AMOUNT}::numeric, ${AMOUNT}::numeric,
        now(), 1
      from generate_series(1, ${count}::integer)
      returning operation_id, partner_id, amount)
    insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
    select operation_id, 'reserve', gift.id, reserved.id, amount
    from voucher
    join ledger_accounts as gift on gift.partner_id = voucher.partner_id and gift.kind = 'gift'
    join ledger_accounts as reserved
      on reserved.partner_id = voucher.partner_id and reserved.kind = 'reserved'`.execute(
    service.database,
  );
}
