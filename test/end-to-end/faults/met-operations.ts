import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { ProviderName } from '../../../src/domain/providers.ts';
import type { BooksRow } from '../../../src/sandbox/requests.ts';
import type { staffClient } from '../../pages/staff/staff-client.ts';
import { atProvider } from '../../positions/placements.ts';
import type { Answer, RawPartner } from '../../support/clients.ts';
import { makeMerchant, type TestPartner } from '../../support/companies.ts';
import { CLAIM, newOwner, REDEEM } from '../gift/gift-scene.ts';
import type { RedemptionScene } from '../gift/redemption-scene.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { sale } from '../topups/topup-scene.ts';

/** What is asked of each provider. */
export const kindOf = {
  'africas-talking': 'message',
  smpp: 'message',
  gsma: 'payment',
  mpesa: 'payment',
  'dt-one': 'top-up',
  reloadly: 'top-up',
} as const satisfies Record<ProviderName, string>;
export type Kind = (typeof kindOf)[ProviderName];

/** What became of an operation by the books of the service. */
export type Booked = 'done' | 'on hold' | 'not done';

/** An operation that meets a provider, and everything that can be seen of it. */
export interface MetOperation {
  /** Sends the request; repeated under its key. */
  send(): Promise<Answer>;
  /** What all providers have in their books about it, newest first. */
  inBooks(): readonly BooksEntry[];
  booked(): Promise<Booked>;
  /** The provider that its row names: the last one that was asked. Undefined while there is no row. */
  lastAsked(): Promise<string | null | undefined>;
  /** The words of the page of its case. */
  page(): Promise<string>;
  /** What a person of the service enters who was told by the provider that nothing was done. */
  settleAsNotDone(): Promise<void>;
}

type BooksEntry = Pick<BooksRow, 'provider' | 'status' | 'reference'>;

/** How many times value was given, by the books of the providers. */
export const given = ({ inBooks }: MetOperation): number =>
  inBooks().filter(({ status }) => status === 'completed').length;

/** @param suffix the last digits of the number, which decide what the sandbox does */
export type Prepare = (seller: Seller, suffix: string) => Promise<MetOperation>;

export interface Seller {
  readonly partner: TestPartner;
  readonly client: RawPartner;
}

/** What the answer to a claim that stands says about its code. */
const codeWords: readonly (readonly [RegExp, Booked | undefined])[] = [
  [/^A verification code was sent to the owner of the voucher$/, 'done'],
  [/^The verification code is being sent .*; if it does not arrive, claim again$/, undefined],
];

/** What an answer tells its caller; undefined where it says that it is not known yet. */
export function toldBy({ status, body }: Answer, kind: Kind): Booked | undefined {
  if (status === 200 && kind === 'message') {
    const found = codeWords.find(([words]) => words.test(body.data));
    if (!found) throw new Error(`The words of a claim: ${body.data}`);
    return found[1];
  }
  if (kind === 'top-up' && status === 200 && body.data.status !== 'SUCCESS') return undefined;
  if (status === 200) return 'done';
  return status === 409 ? undefined : 'not done';
}

export interface Parts {
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
export const payment =
  (parts: Parts): Prepare =>
  async (seller, payoutSuffix) => {
    const { stack, gift } = parts.scene;
    // Without a fee: M-Pesa carries whole birr.
    const merchant = await makeMerchant(stack, { service_fee_percent: '0', payoutSuffix });
    const voucher = await gift({ partner: seller.partner, merchant, owner: null });
    const path = `/support/vouchers/${voucher.id}`;
    const find = () =>
      stack.database
        .selectFrom('redemptions')
        .select('status')
        .select(atProvider('redemptions.operation_id'))
        .where('voucher_id', '=', voucher.id)
        .executeTakeFirst();
    return {
      send: keyed(seller, REDEEM, { voucherCode: voucher.voucherCode }),
      inBooks: () => parts.scene.payoutsTo(merchant),
      async booked() {
        const row = await find();
        const booked = row === undefined ? 'not done' : bookedAs[row.status];
        expect(await parts.scene.voucher(voucher)).toMatchObject(voucherWhere[booked]);
        return booked;
      },
      lastAsked: async () => (await find())?.provider,
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
export const topup =
  (parts: Parts): Prepare =>
  async (seller, suffix) => {
    const { stack } = parts.scene;
    const { database, sandbox } = stack;
    const msisdn = newOwner(suffix);
    const wallet = async () =>
      (await seller.client.get('/info/get-current-balance')).body.data.walletBalance;
    const before = await wallet();
    const find = () =>
      database
        .selectFrom('topups')
        .innerJoin('topup_attempts', 'topup_attempts.topup_id', 'topups.id')
        .select(['topups.id', 'topup_attempts.status'])
        .select(atProvider('topup_attempts.operation_id'))
        .where(isNumber(stack, 'topups.msisdn', msisdn))
        .orderBy('topup_attempts.attempt', 'desc')
        .executeTakeFirst();
    const path = async () => `/support/top-ups/${(await find())?.id}`;
    return {
      send: keyed(seller, '/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale }),
      inBooks: () => sandbox.books.topups({ to: msisdn }),
      async booked() {
        const row = await find();
        const booked = row === undefined ? 'not done' : bookedAs[row.status];
        expect(await wallet()).toBe(booked === 'not done' ? before : before - 50);
        return booked;
      },
      lastAsked: async () => (await find())?.provider,
      page: async () => read(parts, await path()),
      settleAsNotDone: async () => settle(parts, await path(), 'settle-top-up'),
    };
  };

/** A claim, whose code goes to the owner's phone. */
export const claim =
  (parts: Parts): Prepare =>
  async (seller, suffix) => {
    const { stack, gift } = parts.scene;
    const voucher = await gift({ partner: seller.partner, owner: newOwner(suffix) });
    const path = `/support/vouchers/${voucher.id}`;
    const find = () =>
      stack.database
        .selectFrom('messages')
        .select(['status', 'provider'])
        .where('voucher_id', '=', voucher.id)
        .orderBy('id', 'desc')
        .executeTakeFirst();
    return {
      send: keyed(seller, CLAIM, { voucherCode: voucher.voucherCode }),
      inBooks: () =>
        stack.sandbox.books
          .messages(voucher.owner ?? '')
          .map(({ provider, id }) => ({ provider, status: 'completed', reference: id })),
      async booked() {
        const row = await find();
        if (row?.status === 'SENT') return 'done';
        return row === undefined || ['REFUSED', 'CANCELLED'].includes(row.status)
          ? 'not done'
          : 'on hold';
      },
      lastAsked: async () => (await find())?.provider,
      page: () => read(parts, path),
      // Nobody can be asked about a message: the next claim sends another code.
      settleAsNotDone: async () => undefined,
    };
  };
