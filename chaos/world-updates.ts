import type { LogEntry } from './clients/client-log.ts';
import { bodyOf } from './clients/outcome.ts';
import type { SentLine, World } from './world.ts';

/** Lets the clients know what an answer says about vouchers and top-ups. */
export function updateWorld(world: World, { call, outcome, response }: LogEntry): void {
  const data = bodyOf(response)?.data;
  const sent = call.body ?? {};
  switch (call.operation) {
    case 'generate-voucher': {
      if (outcome.kind === 'done')
        addGift(world, call.company.id, data.voucher, sent as SentVoucher);
      return;
    }
    case 'order-vouchers': {
      if (outcome.kind !== 'done') return;
      const { id } = data.bulkOrder;
      const lines = sent.lines as SentLine[];
      if (!world.orders.some((order) => order.id === id))
        world.orders.push({ id, partnerId: call.company.id, lines });
      return;
    }
    case 'list-bulk-lines': {
      if (outcome.kind !== 'done') return;
      const order = world.orders.find(({ id }) => call.path === `/bulk-orders/${id}/lines`);
      for (const { reference, voucher } of data.lines) {
        const line = order?.lines.find((one) => one.reference === reference);
        if (order && voucher && line) addGift(world, order.partnerId, voucher, line);
      }
      return;
    }
    case 'initiate-claim': {
      const gift = world.gifts.find(({ voucherCode }) => voucherCode === sent.voucherCode);
      if (gift && outcome.kind === 'done') gift.claimant = call.company;
      return;
    }
    case 'redeem-gift': {
      const gift = world.gifts.find(({ voucherCode }) => voucherCode === sent.voucherCode);
      if (gift && outcome.kind === 'done' && mayReverse(world, gift.merchantId))
        world.paid.push(gift.merchantId);
      return;
    }
    case 'list-redemptions': {
      if (outcome.kind !== 'done') return;
      for (const { id, state, reversal } of data as ListedRedemption[])
        if (state === 'POSTED' && !reversal && !world.redemptions.some((one) => one.id === id))
          world.redemptions.push({ id, merchantId: call.company.id });
      return;
    }
    case 'reverse-redemption': {
      // Repeated calls come from the log: a redemption that has its answer is of no more use.
      if (outcome.kind === 'done' || outcome.kind === 'refused')
        world.redemptions = world.redemptions.filter(
          ({ id }) => call.path !== `/redemptions/${id}/reverse`,
        );
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

interface ListedRedemption {
  readonly id: number;
  readonly state: string;
  readonly reversal?: unknown;
}

/** The fault that forgets redemptions takes those of merchants who are paid at once. */
const mayReverse = ({ merchants }: World, merchantId: number): boolean =>
  merchants.some(({ id, payoutNumber }) => id === merchantId && !payoutNumber.endsWith('000'));

type SentVoucher = Omit<SentLine, 'reference'>;

function addGift(
  world: World,
  partnerId: number,
  told: { readonly id: string; readonly voucherCode: string; readonly amount: string },
  { msisdn, merchantId, isRestricted }: SentVoucher,
): void {
  const { voucherCode } = told;
  if (world.gifts.some((gift) => gift.voucherCode === voucherCode)) return;
  world.gifts.push({
    voucherId: Number(told.id),
    voucherCode,
    owner: msisdn,
    partnerId,
    merchantId,
    isRestricted,
    amount: Number(told.amount),
  });
}
