import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/clients.ts';
import { CLAIM, type Gift, newOwner } from '../gift/gift-scene.ts';
import { redeem } from '../gift/redemption-scene.ts';
import {
  bothOrders,
  type First,
  lockOfReserve,
  lockOfVoucher,
  type RaceScene,
  setRaceScene,
} from './race-scene.ts';

/** Repairs of vouchers and claims that meet claims, redemptions, timers and the expiry run, in both orders. */
let scene: RaceScene;
let supervisor: number;

beforeAll(async () => {
  scene = await setRaceScene({ CLAIM_LIFETIME_SECONDS: '600', CALLER_WAIT_SECONDS: '8' });
  supervisor = await scene.staff('SUPERVISOR');
});
afterAll(() => scene?.stop());

async function claimedGift() {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  return { merchant, client, gift, verificationCode: await scene.claimed(client, gift) };
}

const claimOf = ({ stack }: RaceScene, { id }: Gift) =>
  stack.database
    .selectFrom('voucher_claims')
    .select('status')
    .where('voucher_id', '=', id)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();

/** Moves the end of a claim in the database; its workflow waits as long as before. */
const moveEnd = ({ stack }: RaceScene, { id }: Gift, seconds: number) =>
  stack.database
    .updateTable('voucher_claims')
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where('voucher_id', '=', id)
    .execute();

const messagesTo = async (msisdn: string | null): Promise<{ text: string }[]> =>
  (await call(`${scene.stack.sandbox.url}/messages?to=${encodeURIComponent(msisdn ?? '')}`)).body;

describe('correct-number meets a claim', () => {
  it.each(bothOrders)('%s first: the code goes to one number', async (first) => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const owner = newOwner();
    const { letGo } = await scene.halted('repair-begun', async () => {
      const row = await scene.asked('correct-number', gift.id, { msisdn: owner });
      expect(await scene.confirm(row.id, supervisor)).toBe(true);
      return row;
    });
    const { row, answer } = await scene.meet(
      { lock: lockOfVoucher(gift), first },
      { repair: letGo, other: () => client.post(CLAIM, { voucherCode: gift.voucherCode }) },
    );
    expect(answer.status).toBe(200);
    const isCorrected = first === 'repair';
    expect([row.state, row.result]).toEqual(
      isCorrected
        ? ['DONE', expect.any(String)]
        : ['REFUSED', expect.stringContaining('It has been claimed')],
    );
    const [right, wrong] = isCorrected ? [owner, gift.owner] : [gift.owner, owner];
    const [message] = await messagesTo(right);
    expect(await messagesTo(wrong)).toEqual([]);
    const verificationCode = /^\d+/.exec(message?.text ?? '')?.[0];
    expect((await redeem(client, gift, { verificationCode })).status).toBe(200);
  });
});

describe('extend-voucher meets the expiry run', () => {
  const runExpiry = () =>
    scene.stack.temporal.client.workflow.execute('expireVouchers', {
      workflowId: `expiry-${randomUUID()}`,
      taskQueue: scene.stack.config.temporal.temporalTaskQueue,
    });
  const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const stateOf = async (gift: Gift) => {
    const { status, remaining, returned } = await scene.voucher(gift);
    return [status, Number(remaining), Number(returned)];
  };

  it('the repair first: the expiry run leaves the voucher as it is', async () => {
    const gift = await scene.gift();
    await scene.expire(gift);
    const { letGo } = await scene.halted('repair-carried-out', () =>
      scene.asked('extend-voucher', gift.id, { until: inAMonth() }),
    );
    await runExpiry();
    scene.expectDone(await letGo());
    await runExpiry();
    expect(await stateOf(gift)).toEqual(['ACTIVE', 100, 0]);
  });

  it('the expiry run first: the value is back, and the repair is refused', async () => {
    const gift = await scene.gift();
    await scene.expire(gift);
    const { letGo } = await scene.halted('repair-begun', () =>
      scene.asked('extend-voucher', gift.id, { until: inAMonth() }),
    );
    // The expiry run has the voucher, and waits for the account that the value leaves.
    const { row } = await scene.meet(
      { lock: lockOfReserve(scene.partner.id), first: 'other' },
      { repair: letGo, other: runExpiry },
    );
    expect([row.state, row.result]).toEqual([
      'REFUSED',
      expect.stringContaining('expiration date of the voucher has passed'),
    ]);
    expect(await stateOf(gift)).toEqual(['EXPIRED', 0, 100]);
  });
});

describe('a claim meets its redemption', () => {
  it.each(bothOrders)('extend-claim, %s first: the merchant is paid once', async (first) => {
    const { merchant, client, gift, verificationCode } = await claimedGift();
    const { letGo } = await scene.halted('repair-begun', () =>
      scene.asked('extend-claim', gift.id, { minutes: '30' }),
    );
    const { row, answer } = await scene.meet(
      { lock: lockOfVoucher(gift), first },
      { repair: letGo, other: () => redeem(client, gift, { verificationCode }) },
    );
    expect(answer.status).toBe(200);
    expect(row.state).toBe(first === 'repair' ? 'DONE' : 'REFUSED');
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED', remaining: '0.000000' });
  });

  it.each(bothOrders)('release-claim, %s first: nothing is paid', async (first) => {
    const { merchant, client, gift, verificationCode } = await claimedGift();
    await moveEnd(scene, gift, -1);
    const { letGo } = await scene.halted('repair-begun', () =>
      scene.asked('release-claim', gift.id),
    );
    const { row, answer } = await scene.meet(
      { lock: lockOfVoucher(gift), first },
      { repair: letGo, other: () => redeem(client, gift, { verificationCode }) },
    );
    expect(answer.status).not.toBe(200);
    scene.expectDone(row);
    expect(scene.amountsPaidTo(merchant)).toEqual([]);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '100.000000' });
    await scene.redeemed(client, gift);
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  });
});

describe('a claim meets its timer', () => {
  /** Its workflows wake up soon, whatever end their claims have. */
  let short: RaceScene;
  beforeAll(async () => {
    short = await setRaceScene({ CLAIM_LIFETIME_SECONDS: '5', CALLER_WAIT_SECONDS: '8' });
  });
  afterAll(() => short?.stop());

  /** A repair that waits for the claim's row together with the step of the timer. */
  async function meetTimer(
    kind: 'extend-claim' | 'release-claim',
    { first, endsIn }: { readonly first: First; readonly endsIn: number },
  ) {
    const { merchant, client } = await short.payee('merchant');
    const gift = await short.gift({ merchant });
    const verificationCode = await short.claimed(client, gift);
    await moveEnd(short, gift, endsIn);
    const { letGo } = await short.halted('repair-begun', () =>
      short.asked(kind, gift.id, kind === 'extend-claim' ? { minutes: '30' } : {}),
    );
    const { row } = await short.meet(
      { lock: lockOfVoucher(gift), first },
      // It comes when its time is over.
      { repair: letGo, other: async () => undefined },
    );
    return { merchant, client, gift, verificationCode, row };
  }

  it('extend-claim first: the claim stays, and its code pays', async () => {
    const { merchant, client, gift, verificationCode, row } = await meetTimer('extend-claim', {
      first: 'repair',
      endsIn: 60,
    });
    short.expectDone(row);
    expect((await claimOf(short, gift)).status).toBe('OPEN');
    expect((await redeem(client, gift, { verificationCode })).status).toBe(200);
    expect(short.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  });

  it.each([
    ['extend-claim', 'other', 'REFUSED'],
    ['release-claim', 'other', 'REFUSED'],
    ['release-claim', 'repair', 'DONE'],
  ] as const)(
    '%s, %s first: the voucher is free, and the code pays nothing',
    async (kind, first, state) => {
      const endsIn = kind === 'extend-claim' ? 4 : -1;
      const { merchant, client, gift, verificationCode, row } = await meetTimer(kind, {
        first,
        endsIn,
      });
      expect(row.state).toBe(state);
      expect((await claimOf(short, gift)).status).toBe('EXPIRED');
      expect(await short.voucher(gift)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
      expect((await redeem(client, gift, { verificationCode })).status).not.toBe(200);
      expect(short.amountsPaidTo(merchant)).toEqual([]);
    },
  );
});
