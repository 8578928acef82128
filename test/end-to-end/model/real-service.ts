import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  type Answer,
  merchantClient,
  newestCode,
  partnerClient,
  type RawMerchant,
  type RawPartner,
} from '../../support/clients.ts';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { otherCode } from '../gift/gift-scene.ts';
import { type By, MERCHANTS } from './model.ts';

/** A voucher as its buyer knows it. */
export interface RealVoucher {
  readonly id: number;
  readonly voucherCode: string;
  readonly owner: string | null;
}

/** A request that was answered for good, and what its repetition must get. */
interface Answered {
  readonly repeat: () => Promise<Answer>;
  readonly status: number;
  readonly body: unknown;
}

/** Companies of their own at the running service, and what was made with them. */
export interface RealService {
  readonly stack: Stack;
  readonly partner: TestPartner;
  readonly merchants: readonly TestMerchant[];
  readonly products: TopupProducts;
  readonly asPartner: RawPartner;
  readonly vouchers: RealVoucher[];
  readonly topupIds: number[];
  readonly answered: Answered[];
  merchantClientOf(place: 0 | 1): RawMerchant;
  /** Sends a request under a key of its own; `repeat` of the answer sends the same once more. */
  post(by: By, path: string, body: Record<string, unknown>): Promise<Answer>;
  rightCode(voucher: RealVoucher): Promise<string>;
  wrongCode(voucher: RealVoucher): Promise<string>;
}

/** What is bound to its key from then on: successes, and failures after a hold. */
const BOUND = [200, 424, 5031];

export async function makeRealService(
  stack: Stack,
  wallets: { gift: number; airtime: number },
  /** Told the operation and the statusCode of every answer. */
  seen: Set<string>,
): Promise<RealService> {
  const partner = await makePartner(stack, { giftWallet: inEtb(wallets.gift) });
  await deposit(stack, partner.id, inEtb(wallets.airtime), 'airtime');
  const stranger = await partnerClient(stack, await makePartner(stack));
  const merchants: TestMerchant[] = [];
  const merchantClients: RawMerchant[] = [];
  for (const { payoutSuffix, feePercent } of MERCHANTS) {
    const options = { payoutSuffix, service_fee_percent: feePercent };
    const merchant = await makeMerchant(stack, options);
    merchants.push(merchant);
    merchantClients.push(await merchantClient(stack, merchant));
  }
  const asPartner = await partnerClient(stack, partner);
  const answered: Answered[] = [];
  const merchantClientOf = (place: 0 | 1) => merchantClients[place] as RawMerchant;

  const codeSent = (voucher: RealVoucher) =>
    newestCode(stack, voucher.owner ?? '').catch(() => '000000');

  return {
    stack,
    partner,
    merchants,
    products: await makeTopupProducts(stack, partner),
    asPartner,
    vouchers: [],
    topupIds: [],
    answered,
    merchantClientOf,
    async post(by, path, body) {
      const key = randomUUID();
      const send = (): Promise<Answer> =>
        typeof by === 'number'
          ? merchantClientOf(by).post(path, { idempotencyKey: key, ...body })
          : (by === 'partner' ? asPartner : stranger).post(path, body, { 'Idempotency-Key': key });
      const answer = await send();
      seen.add(`${path.split('/').at(-1)} ${answer.body.statusCode}`);
      if (BOUND.includes(answer.body.statusCode))
        answered.push({ repeat: send, status: answer.status, body: answer.body });
      return answer;
    },
    rightCode: codeSent,
    wrongCode: async (voucher) => otherCode(await codeSent(voucher)),
  };
}

/** Cents as an amount of ETB. */
export const inEtb = (cents: number): string => (cents / 100).toFixed(2);

/** Compares the statusCode, and shows the whole answer where it is another. */
export function expectCode(answer: Answer, expected: number): void {
  expect(answer.body.statusCode, JSON.stringify(answer.body)).toBe(expected);
}
