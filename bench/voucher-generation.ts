import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../src/domain/money.js';
import { call } from '../test/support/clients.js';
import { makeMerchant, makePartner } from '../test/support/companies.js';
import type { Stack } from '../test/support/stack.js';
import type { Calls } from './run-load.js';
import type { Service } from './service.js';

const AMOUNT = '100';

/**
 * Calls of generate-voucher for a merchant of their own, by so many partners; a lane stays with its
 * partner. Each partner has money for ten million vouchers.
 */
export async function voucherGeneration(service: Service, partnerCount: number): Promise<Calls> {
  // Of a stack, companies are made with the settings, the database and the digests alone.
  const stack = service as Stack;
  const merchant = await makeMerchant(stack);
  const base = `${service.url}/api/v1/client`;
  const calls = await Promise.all(
    Array.from({ length: partnerCount }, async () => {
      const partner = await makePartner(stack, { giftWallet: '1000000000' });
      const login = await call(`${base}/auth/login`, { body: { key: partner.apiKey } });
      return {
        url: `${base}/topup-transactions/generate-voucher`,
        headers: {
          'Content-Type': 'application/json',
          'x-api-token': String(login.body.accessToken),
        },
        body: JSON.stringify({
          denominationId: partner.denominations[AMOUNT],
          merchantId: merchant.id,
          msisdn: '0911234567',
        }),
      };
    }),
  );
  return (lane) => {
    const next = calls[lane % calls.length];
    if (!next) throw new RangeError('There are no partners');
    return next;
  };
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
