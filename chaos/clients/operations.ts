import { randomUUID } from 'node:crypto';
import type { Company } from '../../src/domain/vouchers/voucher.ts';
import { type Random, recent } from '../random.ts';
import type { ChaosPartner, KnownGift, SentLine, World } from '../world.ts';
import {
  type ClientCall,
  type KeyedOperation,
  merchantCompany,
  partnerCompany,
} from './client-log.ts';

/** What an operation is made from. */
export interface Making {
  readonly random: Random;
  readonly world: World;
  /** The newest code that a number has received. */
  readonly codeOf: (msisdn: string) => Promise<string | undefined>;
}

/** Makes the next call of its kind; undefined when the world has nothing for it yet. */
type MakeCall = (making: Making) => Promise<ClientCall | undefined> | ClientCall | undefined;

/** How the provider of messages, and of airtime, treats a new number. */
const SMS_SUFFIXES = { '000': 12, '002': 1, '006': 1, '008': 1, '009': 1, '100': 1, '016': 1 };
const AIRTIME_SUFFIXES = {
  '000': 8,
  '002': 2,
  '006': 2,
  '007': 1,
  '008': 2,
  '009': 2,
  '010': 1,
  '011': 1,
  '012': 1,
  '013': 1,
  '014': 2,
  '100': 1,
  '200': 1,
};

const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

/** A call below a path of its own, under a new key. */
export function keyed(
  operation: KeyedOperation,
  company: Company,
  body: Readonly<Record<string, unknown>>,
): ClientCall {
  return { operation, company, path: `/topup-transactions/${operation}`, body, key: randomUUID() };
}

/** ETB from 1 to a little above the greatest: whole birr, or with up to two decimals. */
const someAmount = (random: Random, greatest: number): number =>
  random.chance(0.5)
    ? random.integer(1, Math.round(greatest * 1.1))
    : random.integer(100, Math.round(greatest * 110)) / 100;

function someVoucher({ random, world }: Pick<Making, 'random' | 'world'>, partner: ChaosPartner) {
  const isAnonymous = random.chance(0.3);
  return {
    denominationId: partner.denominations[random.pick(['100', '500', '1000'] as const)],
    merchantId: random.pick(world.merchants).id,
    msisdn: isAnonymous ? null : world.newNumber(random.weighted(SMS_SUFFIXES)),
    isRestricted: random.chance(0.7),
  };
}

function generateVoucher(making: Making): ClientCall {
  const partner = making.random.pick(making.world.partners);
  return keyed('generate-voucher', partnerCompany(partner.id), someVoucher(making, partner));
}

/** Some lines of an order, at times with one that another order has, too. */
export function someLines(
  making: Pick<Making, 'random' | 'world'>,
  partner: ChaosPartner,
): SentLine[] {
  const { random, world } = making;
  const lines = Array.from({ length: random.integer(1, 12) }, () => ({
    reference: randomUUID(),
    ...someVoucher(making, partner),
  }));
  const ordered = world.orders.filter(({ partnerId }) => partnerId === partner.id);
  const repeated = random.chance(0.3) && recent(random, ordered)?.lines[0];
  return repeated ? [...lines, repeated] : lines;
}

function orderVouchers(making: Making): ClientCall {
  const partner = making.random.pick(making.world.partners);
  return {
    ...keyed('order-vouchers', partnerCompany(partner.id), { lines: someLines(making, partner) }),
    path: '/vouchers/bulk',
  };
}

const ofOrder =
  (
    operation: 'show-bulk-order' | 'list-bulk-lines' | 'cancel-bulk-order',
    path: string,
  ): MakeCall =>
  ({ random, world }) => {
    const order = recent(random, world.orders);
    return (
      order && {
        operation,
        company: partnerCompany(order.partnerId),
        path: `/bulk-orders/${order.id}${path}`,
        ...(operation === 'cancel-bulk-order' ? { body: {} } : {}),
      }
    );
  };

/** What a partner asks for with a voucher later; it has no fields. */
export const laterVoucherCall = (
  operation: 'cancel-voucher' | 'resend-message',
  { partnerId, voucherId }: KnownGift,
): ClientCall => ({
  ...keyed(operation, partnerCompany(partnerId), {}),
  path: `/vouchers/${voucherId}/${operation === 'cancel-voucher' ? 'cancel' : 'resend'}`,
});

const withVoucher =
  (operation: 'cancel-voucher' | 'resend-message'): MakeCall =>
  ({ random, world }) => {
    const gift = recent(random, world.gifts);
    return gift && laterVoucherCall(operation, gift);
  };

/** Mostly the company that the voucher is meant for, sometimes a wrong one. */
function holderOf({ random, world }: Making, gift: KnownGift): Company {
  if (random.chance(0.3)) return partnerCompany(gift.partnerId);
  return merchantCompany(random.chance(0.9) ? gift.merchantId : random.pick(world.merchants).id);
}

function initiateClaim(making: Making): ClientCall | undefined {
  const { random, world } = making;
  const gift = recent(
    random,
    world.gifts.filter(({ owner }) => owner !== null),
  );
  if (!gift) return undefined;
  return keyed('initiate-claim', holderOf(making, gift), {
    voucherCode: gift.voucherCode,
    ...(random.chance(0.5) ? {} : { amount: someAmount(random, gift.amount) }),
  });
}

async function redeemClaimed(making: Making): Promise<ClientCall | undefined> {
  const { random, world, codeOf } = making;
  const gift = recent(
    random,
    world.gifts.filter(({ claimant }) => claimant !== undefined),
  );
  if (!gift?.claimant || gift.owner === null) return undefined;
  const code = await codeOf(gift.owner);
  const isMistyped = code === undefined || random.chance(0.15);
  return keyed('redeem-gift', random.chance(0.95) ? gift.claimant : holderOf(making, gift), {
    voucherCode: gift.voucherCode,
    verificationCode: isMistyped ? String(random.integer(100_000, 999_999)) : code,
  });
}

function redeemAnonymous(making: Making): ClientCall | undefined {
  const { random, world } = making;
  const gift = recent(
    random,
    world.gifts.filter(({ owner }) => owner === null),
  );
  if (!gift) return undefined;
  return keyed('redeem-gift', holderOf(making, gift), {
    voucherCode: gift.voucherCode,
    ...(random.chance(0.4) ? {} : { amount: someAmount(random, gift.amount / 2) }),
  });
}

/** The newest redemptions of a merchant that was paid lately; undefined where nobody was. */
function listRedemptions({ random, world }: Making): ClientCall | undefined {
  const id = recent(random, world.paid);
  if (id === undefined) return undefined;
  return {
    operation: 'list-redemptions',
    company: merchantCompany(id),
    path: '/redemptions?limit=5',
  };
}

/** Reverses a redemption that its merchant has found in its list. */
function reverseRedemption({ random, world }: Making): ClientCall | undefined {
  const redemption = recent(random, world.redemptions);
  if (!redemption) return undefined;
  return {
    operation: 'reverse-redemption',
    company: merchantCompany(redemption.merchantId),
    path: `/redemptions/${redemption.id}/reverse`,
    body: random.chance(0.5) ? {} : { reason: 'Chaos' },
    key: randomUUID(),
  };
}

function topupAirtime({ random, world }: Making): ClientCall {
  const operator = random.pick(['ethio', 'safaricom'] as const);
  return keyed('airtime-topup', partnerCompany(random.pick(world.partners).id), {
    amount: random.integer(300, 10_000) / 100,
    msisdn: world.newNumber(random.weighted(AIRTIME_SUFFIXES), operator),
    ...sale,
  });
}

function topupPackage({ random, world }: Making): ClientCall {
  const partner: ChaosPartner = random.pick(world.partners);
  const { ethioPackage, safaricomPackage } = partner.products;
  const operator = random.pick(['ethio', 'ethio', 'safaricom'] as const);
  return keyed('airtime-package-topup', partnerCompany(partner.id), {
    productId: operator === 'ethio' ? ethioPackage : safaricomPackage,
    msisdn: world.newNumber(random.weighted(AIRTIME_SUFFIXES), operator),
    ...sale,
  });
}

function retryTopup({ random, world }: Making): ClientCall | undefined {
  const failed = recent(random, world.failedTopups);
  if (!failed) return undefined;
  return keyed('retry-topup', partnerCompany(failed.partnerId), {
    transactionId: failed.transactionId,
    ...(random.chance(0.4) ? {} : { msisdn: world.newNumber(random.weighted(AIRTIME_SUFFIXES)) }),
  });
}

const showBalance = ({ random, world }: Making): ClientCall => ({
  operation: 'balance',
  company: partnerCompany(random.pick(world.partners).id),
  path: '/info/get-current-balance',
});

function showVoucher(making: Making): ClientCall | undefined {
  const gift = recent(making.random, making.world.gifts);
  if (!gift) return undefined;
  const path = `/topup-transactions/${encodeURIComponent(gift.voucherCode)}`;
  return { operation: 'show-voucher', company: merchantCompany(gift.merchantId), path };
}

function showTopup({ random, world }: Making): ClientCall | undefined {
  const topup = recent(random, world.topups);
  if (!topup) return undefined;
  const path = `/topup-transactions/${topup.transactionId}`;
  return { operation: 'show-topup', company: partnerCompany(topup.partnerId), path };
}

/** The next call by what it is to be, each with how often it comes. */
export const operations: Readonly<Record<string, readonly [weight: number, make: MakeCall]>> = {
  'generate a voucher': [16, generateVoucher],
  'claim it': [16, initiateClaim],
  'redeem what is claimed': [18, redeemClaimed],
  'redeem an anonymous one': [12, redeemAnonymous],
  'list redemptions': [4, listRedemptions],
  'reverse a redemption': [4, reverseRedemption],
  'top airtime up': [12, topupAirtime],
  'buy a package': [5, topupPackage],
  'retry a top-up': [6, retryTopup],
  'read the balance': [4, showBalance],
  'cancel a voucher': [2, withVoucher('cancel-voucher')],
  'send a message again': [3, withVoucher('resend-message')],
  'order several vouchers': [2, orderVouchers],
  'look at an order': [2, ofOrder('show-bulk-order', '')],
  'read the codes of an order': [4, ofOrder('list-bulk-lines', '/lines')],
  'cancel an order': [1, ofOrder('cancel-bulk-order', '/cancel')],
  'look at a voucher': [4, showVoucher],
  'look at a top-up': [4, showTopup],
};
