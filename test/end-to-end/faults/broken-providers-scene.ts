import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { addRoute } from '../../../src/db/providers/provider-routes.js';
import type { RouteKind } from '../../../src/domain/providers/routes.js';
import { freePort } from '../../../src/embedded/port.js';
import type {
  ProviderFault,
  SandboxProvider,
} from '../../../src/sandbox/faults/provider-faults.js';
import { staffClient } from '../../staff/staff-client.js';
import { type Answer, call, partnerClient, type RawPartner } from '../../support/clients.js';
import { deposit, makeMerchant, makePartner, type TestPartner } from '../../support/companies.js';
import { RELOADLY_WEBHOOK_SECRET } from '../../support/stack.js';
import { makeTopupProducts } from '../../support/topups.js';
import { CLAIM, newOwner, REDEEM } from '../gift/gift-scene.js';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.js';
import { isNumber } from '../privacy/stored-numbers.js';
import { sale } from '../topups/topup-scene.js';

/** How long a caller waits at most. */
export const CALLER_WAIT_SECONDS = 3;

/** What became of an operation by the books of the service. */
export type Booked = 'done' | 'on hold' | 'not done';

/** An operation that meets a provider, and everything that can be seen of it. */
export interface MetOperation {
  /** Sends the request; repeated under its key. */
  send(): Promise<Answer>;
  /** How many times the provider gave value, by its own books. */
  given(): number;
  booked(): Promise<Booked>;
  /** The words of the page of its case. */
  page(): Promise<string>;
  /** What a person of the service enters who was told by the provider that nothing was done. */
  settleAsNotDone(): Promise<void>;
}

type Prepare = (seller: Seller) => Promise<MetOperation>;

interface Seller {
  readonly partner: TestPartner;
  readonly client: RawPartner;
}

export type BrokenScene = Awaited<ReturnType<typeof setBrokenScene>>;

/** The whole service with all providers; what a partner of each sells goes to that provider alone. */
export async function setBrokenScene() {
  const port = await freePort();
  const callbacks = `http://127.0.0.1:${port}/callbacks`;
  const scene = await setRedemptionScene({
    PORT: String(port),
    CALLER_WAIT_SECONDS: String(CALLER_WAIT_SECONDS),
    // Callers of other tests are not held up by what a fault has left.
    PROVIDER_BREAKER_CALLS: '1000',
    MOBILE_MONEY_TIMEOUT_SECONDS: '0.5',
    MOBILE_MONEY_CALLBACK_URL: `${callbacks}/gsma`,
    MPESA_TIMEOUT_SECONDS: '0.5',
    MPESA_CALLBACK_URL: `${callbacks}/mpesa`,
    AIRTIME_TIMEOUT_SECONDS: '0.5',
    AIRTIME_CALLBACK_URL: `${callbacks}/dt-one`,
    RELOADLY_TIMEOUT_SECONDS: '0.5',
    SMS_TIMEOUT_SECONDS: '0.5',
    SMPP_TIMEOUT_SECONDS: '1',
    SMPP_RECONNECT_SECONDS: '0.1',
    SMPP_RECONNECT_MAXIMUM_SECONDS: '0.2',
  });
  const { sandbox } = scene.stack;
  sandbox.postSmsReportsTo(`${callbacks}/africas-talking`);
  await fetch(`${sandbox.reloadlyUrl}/dashboard/webhook`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${callbacks}/reloadly`, secret: RELOADLY_WEBHOOK_SECRET }),
  });
  const staff = await staffClient(scene.stack, 'OPERATOR');
  const parts = { scene, staff: staff.client };
  const kinds: Readonly<Record<SandboxProvider, readonly [RouteKind, Prepare]>> = {
    'africas-talking': ['sms', claim(parts)],
    smpp: ['sms', claim(parts)],
    gsma: ['payout', payment(parts)],
    mpesa: ['payout', payment(parts)],
    'dt-one': ['topup-airtime', topUp(parts)],
    reloadly: ['topup-airtime', topUp(parts)],
  };

  const makeSeller = async (provider: SandboxProvider): Promise<Seller> => {
    const partner = await makePartner(scene.stack, { giftWallet: '100000' });
    await makeTopupProducts(scene.stack, partner);
    await deposit(scene.stack, partner.id, '100000', 'airtime');
    await scene.stack.database.transaction().execute((transaction) =>
      addRoute(transaction, {
        kind: kinds[provider][0],
        provider,
        position: 1,
        partner_id: partner.id,
      }),
    );
    return { partner, client: await partnerClient(scene.stack, partner) };
  };

  return {
    ...scene,
    /** Prepares operations at a provider, one by one. */
    async operationsAt(provider: SandboxProvider) {
      const seller = await makeSeller(provider);
      return () => kinds[provider][1](seller);
    },
    /** Breaks a provider as a tester does; without a fault it is mended. */
    async breakProvider(provider: SandboxProvider, fault: Partial<ProviderFault> = {}) {
      const url = `${sandbox.url}/faults/${provider}`;
      expect((await call(url, { method: 'PUT', body: fault })).status).toBe(200);
    },
  };
}

interface Parts {
  readonly scene: RedemptionScene;
  readonly staff: Awaited<ReturnType<typeof staffClient>>['client'];
}

/** The words of a page, without the tags. */
const read = async ({ staff }: Parts, path: string): Promise<string> =>
  (await staff.get(path)).html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');

async function settle({ staff }: Parts, path: string, kind: string): Promise<void> {
  const fields = { outcome: 'not-done', reference: 'LETTER-1', why: 'Ticket 4711' };
  const answer = await staff.submit(path, `/support/repairs/ask/${kind}`, fields);
  expect(answer.status).toBe(303);
}

const keyed = ({ client }: Seller, path: string, body: object) => {
  const headers = { 'Idempotency-Key': randomUUID() };
  return () => client.post(path, body, headers);
};

const bookedAs = { HELD: 'on hold', POSTED: 'done', VOIDED: 'not done' } as const;

/** An anonymous voucher is redeemed, and its merchant paid. */
const payment =
  (parts: Parts): Prepare =>
  async (seller) => {
    const { stack, gift } = parts.scene;
    // Without a fee: M-Pesa carries whole birr.
    const merchant = await makeMerchant(stack, { service_fee_percent: '0' });
    const voucher = await gift({ partner: seller.partner, merchant, owner: null });
    const path = `/support/vouchers/${voucher.id}`;
    return {
      send: keyed(seller, REDEEM, { voucherCode: voucher.voucherCode }),
      given: () =>
        parts.scene.payoutsTo(merchant).filter(({ status }) => status === 'completed').length,
      async booked() {
        const row = await stack.database
          .selectFrom('redemptions')
          .select('status')
          .where('voucher_id', '=', voucher.id)
          .executeTakeFirst();
        const booked = row === undefined ? 'not done' : bookedAs[row.status];
        expect(await parts.scene.voucher(voucher)).toMatchObject(voucherWhere[booked]);
        return booked;
      },
      page: () => read(parts, path),
      settleAsNotDone: () => settle(parts, path, 'settle-payment'),
    };
  };

const voucherWhere: Readonly<Record<Booked, object>> = {
  done: { status: 'REDEEMED', remaining: '0.000000', held: '0.000000' },
  'on hold': { status: 'REDEEM_PROCESSING', remaining: '0.000000', held: '100.000000' },
  'not done': { status: 'ACTIVE', remaining: '100.000000', held: '0.000000' },
};

/** 50 birr of airtime. */
const topUp =
  (parts: Parts): Prepare =>
  async (seller) => {
    const { stack } = parts.scene;
    const { database, sandbox } = stack;
    const msisdn = newOwner('000');
    const wallet = async () =>
      (await seller.client.get('/info/get-current-balance')).body.data.walletBalance;
    const before = await wallet();
    const find = () =>
      database
        .selectFrom('topups')
        .innerJoin('topup_attempts', 'topup_attempts.topup_id', 'topups.id')
        .select(['topups.id', 'topup_attempts.status'])
        .where(isNumber(stack, 'topups.msisdn', msisdn))
        .orderBy('topup_attempts.attempt', 'desc')
        .executeTakeFirst();
    const path = async () => `/support/top-ups/${(await find())?.id}`;
    return {
      send: keyed(seller, '/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale }),
      given: () =>
        sandbox.books.topups({ to: msisdn }).filter(({ status }) => status === 'completed').length,
      async booked() {
        const row = await find();
        const booked = row === undefined ? 'not done' : bookedAs[row.status];
        expect(await wallet()).toBe(booked === 'not done' ? before : before - 50);
        return booked;
      },
      page: async () => read(parts, await path()),
      settleAsNotDone: async () => settle(parts, await path(), 'settle-top-up'),
    };
  };

/** A claim, whose code goes to the owner's phone. */
const claim =
  (parts: Parts): Prepare =>
  async (seller) => {
    const { stack, gift } = parts.scene;
    const voucher = await gift({ partner: seller.partner });
    const path = `/support/vouchers/${voucher.id}`;
    return {
      send: keyed(seller, CLAIM, { voucherCode: voucher.voucherCode }),
      given: () => stack.sandbox.books.messages(voucher.owner ?? '').length,
      async booked() {
        const row = await stack.database
          .selectFrom('messages')
          .select('status')
          .where('voucher_id', '=', voucher.id)
          .orderBy('id', 'desc')
          .executeTakeFirst();
        if (row?.status === 'SENT') return 'done';
        return row === undefined || ['REFUSED', 'CANCELLED'].includes(row.status)
          ? 'not done'
          : 'on hold';
      },
      page: () => read(parts, path),
      // Nobody can be asked about a message: the next claim sends another code.
      settleAsNotDone: async () => undefined,
    };
  };
