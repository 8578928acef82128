import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { addDeposit, findDeposit } from '../../../src/db/ledger/deposits.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { atProvider, takenBack } from '../../positions/placements.ts';
import { type Answer, call, merchantClient } from '../../support/clients.ts';
import { makeMerchant } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { consent } from '../repairs/repair-desk.ts';
import { inAYear, newPhone, type Stories, type StoryTools } from './stories.ts';

/** A repair whose subject is ready for it. */
export interface RepairToMake {
  readonly kind: string;
  readonly subjectId: string | number;
  readonly args?: Readonly<Record<string, string>>;
  /** Fails where it was not done, or was done twice. */
  readonly wasDoneOnce: () => Promise<void>;
}

/** Makes a subject of each kind of repair; the steps are those of clients. */
export async function createRepairsToMake(stack: StoryTools, stories: Stories, temporal: Client) {
  const { database } = stack;
  const { desk, partner, generate, claim, redeemClaim, topup, voucherOf, byRepairs } = stories;
  const merchant = await makeMerchant(stack as Stack, { payoutSuffix: '014' });
  const slowPayee = { merchant, client: await merchantClient(stack as Stack, merchant) };
  /** Requests that end when their repair has. */
  const waiting: Promise<Answer>[] = [];

  const voucher = (id: number) =>
    database
      .selectFrom('vouchers')
      .select(['status', 'returned', 'expires_at', 'current_claim_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  const claimOf = (voucherId: number) =>
    database
      .selectFrom('voucher_claims')
      .select(['id', 'status', 'expires_at', 'workflow_id'])
      .where('voucher_id', '=', voucherId)
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();

  const redemptionOf = (voucherId: number) =>
    database
      .selectFrom('redemptions')
      .select(['id', 'operation_id', 'status', 'payment_reference'])
      .select(atProvider('redemptions.operation_id'))
      .where('voucher_id', '=', voucherId)
      .executeTakeFirstOrThrow();

  const topupTo = (msisdn: string) =>
    database
      .selectFrom('topups')
      .select(['id', 'status', 'attempt'])
      .where(isNumber(stack, 'msisdn', msisdn))
      .executeTakeFirstOrThrow();

  const deliveredTo = async (msisdn: string): Promise<readonly { status: string }[]> =>
    (await call(`${stack.sandbox.url}/books?to=${encodeURIComponent(msisdn)}`)).body.topups;

  /** How often the ledger has a step of an operation. */
  async function transfers(operationId: string, step: string): Promise<number> {
    const rows = await database
      .selectFrom('ledger_transfers')
      .select('id')
      .where('operation_id', '=', operationId)
      .where('step', '=', step)
      .execute();
    return rows.length;
  }

  async function extendVoucher(): Promise<RepairToMake> {
    const id = await voucherOf(await generate());
    const args = { until: inAYear() };
    return {
      kind: 'extend-voucher',
      subjectId: id,
      args,
      wasDoneOnce: async () =>
        expect((await voucher(id)).expires_at.toISOString()).toContain(args.until),
    };
  }

  async function cancelVoucher(): Promise<RepairToMake> {
    const id = await voucherOf(await generate());
    return {
      kind: 'cancel-voucher',
      subjectId: id,
      async wasDoneOnce() {
        expect(await voucher(id)).toMatchObject({ status: 'CANCELLED', returned: '100.000000' });
        expect(await transfers(`cancel-voucher:${id}`, 'return')).toBe(1);
      },
    };
  }

  async function correctNumber(): Promise<RepairToMake> {
    const id = await voucherOf(await generate());
    const msisdn = newPhone('000');
    return {
      kind: 'correct-number',
      subjectId: id,
      args: { msisdn },
      wasDoneOnce: async () => expect(await voucherOf({ msisdn })).toBe(id),
    };
  }

  async function resendMessage(): Promise<RepairToMake> {
    const claimed = await claim();
    const messages = `${stack.sandbox.url}/messages?to=${encodeURIComponent(claimed.msisdn)}`;
    const before = (await call(messages)).body.length;
    return {
      kind: 'resend-message',
      subjectId: await voucherOf(claimed),
      wasDoneOnce: async () => expect((await call(messages)).body).toHaveLength(before + 1),
    };
  }

  async function extendClaim(): Promise<RepairToMake> {
    const id = await voucherOf(await claim());
    const before = await claimOf(id);
    await database
      .updateTable('voucher_claims')
      .set({ expires_at: sql<Date>`now() + interval '10 minutes'` })
      .where('id', '=', before.id)
      .execute();
    return {
      kind: 'extend-claim',
      subjectId: id,
      args: { minutes: '60' },
      async wasDoneOnce() {
        const { status, expires_at } = await claimOf(id);
        expect(status).toBe('OPEN');
        expect(expires_at.getTime()).toBeGreaterThan(Date.now() + 30 * 60_000);
      },
    };
  }

  /** The voucher is free, and nobody waits for its claim any more. */
  const isFree = (id: number, status: 'CANCELLED' | 'EXPIRED') => async () => {
    expect(await voucher(id)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
    const ended = await claimOf(id);
    expect(ended.status).toBe(status);
    const workflow = temporal.workflow.getHandle(ended.workflow_id ?? '');
    await until(async () => expect((await workflow.describe()).status.name).toBe('COMPLETED'));
  };

  async function cancelClaim(): Promise<RepairToMake> {
    const id = await voucherOf(await claim());
    return {
      kind: 'cancel-claim',
      subjectId: id,
      wasDoneOnce: isFree(id, 'CANCELLED'),
    };
  }

  async function releaseClaim(): Promise<RepairToMake> {
    const id = await voucherOf(await claim());
    await database
      .updateTable('voucher_claims')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('voucher_id', '=', id)
      .execute();
    return { ...{ kind: 'release-claim', subjectId: id }, wasDoneOnce: isFree(id, 'EXPIRED') };
  }

  async function settlePayment(): Promise<RepairToMake> {
    const claimed = await claim(slowPayee);
    waiting.push(redeemClaim(claimed));
    const id = await voucherOf(claimed);
    const held = await until(() => redemptionOf(id));
    const reference = `LETTER-${randomUUID()}`;
    return {
      kind: 'settle-payment',
      subjectId: held.id,
      args: { outcome: 'done', reference },
      async wasDoneOnce() {
        const { operation_id, ...paid } = await redemptionOf(id);
        expect(paid).toMatchObject({ status: 'POSTED', provider_reference: reference });
        expect(await transfers(operation_id, 'post-payment')).toBe(1);
        // What the letter said stands in the books of the provider, too.
        const payout = `${stack.sandbox.url}/books/payouts/${paid.payment_reference}`;
        expect((await call(payout, { body: { status: 'completed' } })).status).toBe(200);
      },
    };
  }

  async function reverseRedemption(): Promise<RepairToMake> {
    const claimed = await claim();
    await redeemClaim(claimed);
    const id = await voucherOf(claimed);
    return {
      kind: 'reverse-redemption',
      subjectId: (await redemptionOf(id)).id,
      args: consent,
      async wasDoneOnce() {
        byRepairs.reversals += 1;
        expect((await voucher(id)).status).toBe('ACTIVE');
      },
    };
  }

  /** The books of the provider stay as they are: only we heard that it took the payment back. */
  async function settleCase(): Promise<RepairToMake> {
    const claimed = await claim();
    await redeemClaim(claimed);
    const { operation_id: operationId } = await redemptionOf(await voucherOf(claimed));
    await takenBack(database, operationId);
    const { id } = await database
      .selectFrom('cases')
      .select('id')
      .where('subject', '=', operationId)
      .executeTakeFirstOrThrow();
    const settlements = () =>
      database
        .selectFrom('settlements')
        .select('party')
        .where('operation_id', '=', operationId)
        .execute();
    return {
      kind: 'settle-case',
      subjectId: id,
      args: { by: 'partner' },
      wasDoneOnce: async () => expect(await settlements()).toEqual([{ party: 'partner' }]),
    };
  }

  async function retryTopup(): Promise<RepairToMake> {
    const failed = await topup('002');
    const msisdn = newPhone('000');
    return {
      kind: 'retry-top-up',
      subjectId: failed.body.data.transactionId,
      args: { msisdn },
      async wasDoneOnce() {
        byRepairs.topups += 1;
        expect(await topupTo(msisdn)).toMatchObject({ status: 'SUCCESS', attempt: 2 });
        expect(await deliveredTo(msisdn)).toMatchObject([{ status: 'completed' }]);
      },
    };
  }

  async function settleTopup(): Promise<RepairToMake> {
    const msisdn = newPhone('014');
    waiting.push(topup('014', msisdn));
    const { id } = await until(async () => {
      const found = await topupTo(msisdn);
      expect(found.status).toBe('UNKNOWN');
      return found;
    });
    return {
      kind: 'settle-top-up',
      subjectId: id,
      args: { outcome: 'not-done', reference: 'LETTER-4711' },
      wasDoneOnce: async () =>
        expect(await topupTo(msisdn)).toMatchObject({ status: 'FAILED', attempt: 1 }),
    };
  }

  async function correctDeposit(): Promise<RepairToMake> {
    const reference = randomUUID();
    const made = { partnerId: partner.id, wallet: 'gift', amount: parseMoney('10') } as const;
    await database
      .transaction()
      .execute((transaction) => addDeposit(transaction, { ...made, reference }));
    return {
      kind: 'correct-deposit',
      subjectId: reference,
      args: { amount: '7' },
      wasDoneOnce: async () =>
        expect(await findDeposit(database, reference)).toMatchObject({
          present: parseMoney('7'),
          corrections: 1,
        }),
    };
  }

  async function creditGoodwill(): Promise<RepairToMake> {
    const reference = randomUUID();
    await desk.addServiceFees('0.50');
    return {
      kind: 'credit-goodwill',
      subjectId: partner.id,
      args: { wallet: 'airtime', amount: '0.50', reference },
      wasDoneOnce: async () => expect(await transfers(`goodwill:${reference}`, 'goodwill')).toBe(1),
    };
  }

  return {
    waiting,
    /** Those that another operation carries out, after their first step. */
    called: [
      cancelVoucher,
      resendMessage,
      settlePayment,
      reverseRedemption,
      retryTopup,
      settleTopup,
    ],
    /** Those that are done in their first step. */
    immediate: [
      ...[extendVoucher, correctNumber, extendClaim, cancelClaim, releaseClaim],
      ...[correctDeposit, creditGoodwill, settleCase],
    ],
  };
}
