import type { Company } from '../src/domain/vouchers/voucher.ts';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../test/support/companies.ts';
import { makeTopupProducts, type TopupProducts } from '../test/support/topups.ts';
import { makeRoutes } from './providers/make-routes.ts';
import type { ThrowawayStack } from './throwaway-stack.ts';

export interface ChaosPartner extends TestPartner {
  readonly products: TopupProducts;
  /** What was deposited, as decimal strings in ETB. */
  readonly gift: string;
  readonly airtime: string;
}

/** A voucher that some client was told of. */
export interface KnownGift {
  readonly voucherId: number;
  readonly voucherCode: string;
  readonly owner: string | null;
  readonly partnerId: number;
  readonly merchantId: number;
  readonly isRestricted: boolean;
  readonly amount: number;
  /** Who claimed it last. */
  claimant?: Company;
}

/** A paid redemption that its merchant has found in its list. */
interface KnownRedemption {
  readonly id: number;
  readonly merchantId: number;
}

interface KnownTopup {
  readonly transactionId: number;
  readonly partnerId: number;
}

/** A line of a bulk order as its client sent it. */
export interface SentLine {
  readonly reference: string;
  readonly denominationId: number;
  readonly merchantId: number;
  readonly msisdn: string | null;
  readonly isRestricted: boolean;
}

/** A bulk order that was accepted. */
interface KnownOrder {
  readonly id: number;
  readonly partnerId: number;
  readonly lines: readonly SentLine[];
}

/** The companies of a run, and what the clients have learned of vouchers and top-ups. */
export interface World {
  readonly partners: readonly ChaosPartner[];
  readonly merchants: readonly TestMerchant[];
  readonly gifts: KnownGift[];
  readonly orders: KnownOrder[];
  redemptions: KnownRedemption[];
  /** Merchants that were paid, each as often, without those whose redemptions a fault forgets. */
  readonly paid: number[];
  readonly topups: KnownTopup[];
  readonly failedTopups: KnownTopup[];
  /** Our references of top-ups that their provider did otherwise later, and what it did then. */
  readonly changedMinds: Map<string, 'completed' | 'reversed'>;
  /** A number that nobody had before; its last three digits steer the providers. */
  newNumber(suffix: string, operator?: 'ethio' | 'safaricom'): string;
}

/** The second is soon without money, so that "not enough" comes as well. */
const WALLETS = [
  { gift: '100000000', airtime: '10000000', low: { gift: '99997000', airtime: '9999900' } },
  { gift: '20000', airtime: '1000', low: { gift: '15000', airtime: '500' } },
  { gift: '100000000', airtime: '10000000', low: { gift: '1000', airtime: '1000' } },
];

/** Every second merchant pays no fee, so that M-Pesa, which carries whole birr, can pay it. */
const WITHOUT_FEE = 2;

/** How payments to each merchant end, by `src/sandbox/scenarios.ts`. */
const PAYOUT_SUFFIXES = [
  ...['000', '000', '000', '000', '000', '000', '100', '100'],
  ...['200', '002', '004', '005'],
  ...['006', '007', '008', '009', '012', '014'],
  ...['020', '021', '022', '024'],
  // Paid and reversed at once; the fault that forgets redemptions leaves them alone.
  ...['001', '001', '001'],
];

export async function makeWorld(stack: ThrowawayStack): Promise<World> {
  const partners: ChaosPartner[] = [];
  for (const { low, ...wallets } of WALLETS) {
    const partner = await makePartner(stack, { giftWallet: wallets.gift });
    const products = await makeTopupProducts(stack, partner);
    await deposit(stack, partner.id, wallets.airtime, 'airtime');
    for (const kind of ['gift', 'airtime'] as const)
      await stack.database
        .updateTable('ledger_accounts')
        .set({ low_balance: low[kind] })
        .where('partner_id', '=', partner.id)
        .where('kind', '=', kind)
        .execute();
    partners.push({ ...partner, ...wallets, products });
  }
  const merchants: TestMerchant[] = [];
  for (const [index, payoutSuffix] of PAYOUT_SUFFIXES.entries()) {
    const fee = index % WITHOUT_FEE === 0 ? { service_fee_percent: '0' } : {};
    merchants.push(await makeMerchant(stack, { payoutSuffix, ...fee }));
  }
  await makeRoutes(stack);
  let numbers = 0;
  return {
    partners,
    merchants,
    gifts: [],
    orders: [],
    redemptions: [],
    paid: [],
    topups: [],
    failedTopups: [],
    changedMinds: new Map(),
    newNumber(suffix, operator = 'ethio') {
      numbers += 1;
      const middle = String(numbers % 100_000).padStart(5, '0');
      return `+251${operator === 'ethio' ? '9' : '7'}${middle}${suffix}`;
    },
  };
}
