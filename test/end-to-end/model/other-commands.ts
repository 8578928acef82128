import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { addDeposit } from '../../../src/db/ledger/deposits.ts';
import { expireOverdueClaims } from '../../../src/db/vouchers/claims.ts';
import { expireDueVouchers } from '../../../src/db/vouchers/expiry.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { cancelAlone } from '../../support/vouchers.ts';
import { newOwner } from '../gift/gift-scene.ts';
import { sale } from '../topups/topup-scene.ts';
import { command, hasVouchers, type ModelCommand, voucherAt } from './gift-commands.ts';
import { endVoucher, type ModelTopup, retryTopup, topup } from './model.ts';
import { expectCode, inEtb } from './real-service.ts';

/** A number that is topped up, or one whose top-ups are declined. */
const numberOf = (isDelivered: boolean) => newOwner(isDelivered ? '050' : '006');

const PACKAGE_CENTS = 1_500;
const BATCH = 1_000;

export const topupCommand = (options: {
  /** Undefined buys a package. */
  cents: number | undefined;
  isDelivered: boolean;
}): ModelCommand =>
  command(
    `top up ${JSON.stringify(options)}`,
    () => true,
    async (model, real) => {
      const { cents, isDelivered } = options;
      const isPackage = cents === undefined;
      const amount = cents ?? PACKAGE_CENTS;
      const expected = topup(model, { amount, isDelivered, isPackage });
      const kind = isPackage ? 'airtime-package-topup' : 'airtime-topup';
      const answer = await real.post('partner', `/topup-transactions/${kind}`, {
        ...(isPackage ? { productId: real.products.ethioPackage } : { amount: inEtb(amount) }),
        msisdn: numberOf(isDelivered),
        ...sale,
      });
      expectCode(answer, expected);
      if (expected === 200 || expected === 424) real.topupIds.push(answer.body.data.transactionId);
    },
  );

export const retryCommand = (options: { place: number; isDelivered: boolean }): ModelCommand =>
  command(
    `retry ${JSON.stringify(options)}`,
    ({ topups }) => topups.length > 0,
    async (model, real) => {
      const index = options.place % model.topups.length;
      const expected = retryTopup(model, model.topups[index] as ModelTopup, options.isDelivered);
      const answer = await real.post('partner', '/topup-transactions/retry-topup', {
        transactionId: real.topupIds[index],
        msisdn: numberOf(options.isDelivered),
      });
      expectCode(answer, expected);
    },
  );

export const depositCommand = (wallet: 'gift' | 'airtime', cents: number): ModelCommand =>
  command(
    `deposit ${cents} into ${wallet}`,
    () => true,
    async (model, real) => {
      model[wallet] += cents;
      const deposit = {
        partnerId: real.partner.id,
        wallet,
        amount: parseMoney(inEtb(cents)),
        reference: randomUUID(),
      };
      await real.stack.database
        .transaction()
        .execute((transaction) => addDeposit(transaction, deposit));
    },
  );

export const cancelCommand = (place: number): ModelCommand =>
  command(`cancel ${place}`, hasVouchers, async (model, real) => {
    const { voucher, realVoucher } = voucherAt(model, real, place);
    if (voucher.claim) voucher.status = 'ACTIVE';
    voucher.claim = undefined;
    endVoucher(model, voucher, 'CANCELLED');
    await real.stack.database
      .transaction()
      .execute((transaction) => cancelAlone(transaction, realVoucher.id));
  });

/** The voucher's date passes, and the expiry run comes; it leaves what is claimed. */
export const expireCommand = (place: number): ModelCommand =>
  command(`expire ${place}`, hasVouchers, async (model, real) => {
    const { database } = real.stack;
    const { voucher, realVoucher } = voucherAt(model, real, place);
    voucher.isPastExpiry = true;
    endVoucher(model, voucher, 'EXPIRED');
    await database
      .updateTable('vouchers')
      .set({ expires_at: sql<Date>`now() - interval '1 day'` })
      .where('id', '=', realVoucher.id)
      .execute();
    await database.transaction().execute((transaction) => expireDueVouchers(transaction, BATCH));
  });

/** The time of the voucher's claim is up, and both expiry runs come. */
export const lapseCommand = (place: number): ModelCommand =>
  command(`lapse ${place}`, hasVouchers, async (model, real) => {
    const { database } = real.stack;
    const { voucher, realVoucher } = voucherAt(model, real, place);
    if (voucher.claim) voucher.status = 'ACTIVE';
    voucher.claim = undefined;
    if (voucher.isPastExpiry) endVoucher(model, voucher, 'EXPIRED');
    await database
      .updateTable('voucher_claims')
      .set({ expires_at: sql<Date>`now() - interval '1 minute'` })
      .where('voucher_id', '=', realVoucher.id)
      .where('status', '=', 'OPEN')
      .execute();
    await database.transaction().execute((transaction) => expireOverdueClaims(transaction, BATCH));
    await database.transaction().execute((transaction) => expireDueVouchers(transaction, BATCH));
  });
