import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { randomSerialNumber } from '../../src/crypto/random.ts';
import type { Database, DatabaseTransaction } from '../../src/db/connection.ts';
import { addTransfers } from '../../src/db/ledger/ledger.ts';
import { cancelLockedVoucher } from '../../src/db/vouchers/cancellation.ts';
import { lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { parseMoney } from '../../src/domain/money.ts';
import { isCancellable, type VoucherStatus } from '../../src/domain/vouchers/voucher.ts';
import { testNumbers } from '../end-to-end/privacy/stored-numbers.ts';

/** Adds a voucher as generating one leaves it, of any amount and without asking for a price. */
export async function addVoucher(
  database: Database,
  subjects: {
    readonly partnerId: number;
    readonly merchantId: number;
    readonly denominationId: number;
  },
  options: {
    readonly amount: string;
    readonly ownerMsisdn?: string | undefined;
    readonly validityDays?: number | undefined;
  },
): Promise<{ id: number; serialNumber: string }> {
  const { partnerId, merchantId, denominationId } = subjects;
  const { amount, ownerMsisdn = null, validityDays = 365 } = options;
  const [operationId, serialNumber] = [randomUUID(), randomSerialNumber()];
  return database.transaction().execute(async (transaction) => {
    const { id } = await transaction
      .insertInto('vouchers')
      .values({
        operation_id: operationId,
        request_digest: operationId,
        partner_id: partnerId,
        merchant_id: merchantId,
        denomination_id: denominationId,
        serial_number: serialNumber,
        code_digest: randomBytes(32),
        code_ciphertext: '',
        owner_msisdn: testNumbers.storeIfAny(ownerMsisdn),
        is_restricted: true,
        amount,
        remaining: amount,
        expires_at: sql<Date>`now() + make_interval(days => ${validityDays})`,
        selling_price_usd: '4.75',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await transaction
      .insertInto('operations')
      .values({
        id: operationId,
        company_kind: 'partner',
        company_id: partnerId,
        kind: 'generate-voucher',
        request_id: randomUUID(),
        request_digest: operationId,
        status: 'SUCCEEDED',
        outcome: JSON.stringify({ ok: true, voucherId: id }),
      })
      .execute();
    await addTransfers(transaction, [
      {
        operationId,
        partnerId,
        step: 'reserve',
        debit: 'gift',
        credit: 'reserved',
        amount: parseMoney(amount),
      },
    ]);
    return { id, serialNumber };
  });
}

/** Cancels a voucher where no worker runs, if its status allows it; returns the status before. */
export async function cancelAlone(
  transaction: DatabaseTransaction,
  voucherId: number,
): Promise<VoucherStatus> {
  const voucher = await lockVoucher(transaction, voucherId);
  if (!voucher) throw new Error('There is no such voucher');
  if (isCancellable(voucher.status)) await cancelLockedVoucher(transaction, voucher);
  return voucher.status;
}
