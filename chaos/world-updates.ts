import type { LogEntry } from './client-log.js';
import { bodyOf } from './outcome.js';
import type { World } from './world.js';

/** Lets the clients know what an answer says about vouchers and top-ups. */
export function updateWorld(world: World, { call, outcome, response }: LogEntry): void {
  const data = bodyOf(response)?.data;
  const sent = call.body ?? {};
  switch (call.operation) {
    case 'generate-voucher': {
      if (outcome.kind !== 'done') return;
      const { voucherCode } = data.voucher;
      if (world.gifts.some((gift) => gift.voucherCode === voucherCode)) return;
      world.gifts.push({
        voucherCode,
        owner: sent.msisdn as string | null,
        partnerId: call.company.id,
        merchantId: sent.merchantId as number,
        isRestricted: sent.isRestricted as boolean,
        amount: Number(data.voucher.amount),
      });
      return;
    }
    case 'initiate-claim': {
      const gift = world.gifts.find(({ voucherCode }) => voucherCode === sent.voucherCode);
      if (gift && outcome.kind === 'done') gift.claimant = call.company;
      return;
    }
    case 'airtime-topup':
    case 'airtime-package-topup':
    case 'retry-topup': {
      const transactionId = data?.transactionId;
      if (typeof transactionId !== 'number') return;
      const topup = { transactionId, partnerId: call.company.id };
      world.topups.push(topup);
      if (outcome.kind === 'refused') world.failedTopups.push(topup);
      return;
    }
    default:
  }
}
