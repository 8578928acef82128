import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../src/domain/money.ts';
import { makeMerchant } from '../test/support/companies.ts';
import { partnerCalls } from './partner-calls.ts';
import type { Calls } from './run-load.ts';
import type { Service } from './service.ts';

const AMOUNT = '100';

/** Calls of generate-voucher for a merchant of their own, by so many partners. */
export async function voucherGeneration(service: Service, partners: number): Promise<Calls> {
  const merchant = await makeMerchant(service);
  return partnerCalls(service, {
    partners,
    path: '/topup-transactions/generate-voucher',
    prepare: async (partner) => ({
      denominationId: partner.denominations[AMOUNT],
      merchantId: merchant.id,
      msisdn: '0911234567',
    }),
  });
}

/**
 * Checks that as many vouchers exist as calls were answered, and that the ledger has reserved the
 * value of exactly these.
 *
 * @throws when one of them differs
 */
export async function requireVouchers(service: Service, completed: number): Promise<void> {
  const { rows } = await sql<{ vouchers: number; reserved: string }>`
    select (select count(*) from vouchers) as vouchers,
      (select sum(balance) from ledger_accounts where kind = 'reserved') as reserved
    `.execute(service.database);
  const [found = { vouchers: 0, reserved: '0' }] = rows;
  const reserved = formatMoney(parseMoney(AMOUNT) * BigInt(completed));
  if (found.vouchers === completed && parseMoney(found.reserved) === parseMoney(reserved)) return;
  throw new Error(
    `${completed} vouchers of ${AMOUNT} were answered, but there are ${found.vouchers}, and ` +
      `${found.reserved} is reserved`,
  );
}
