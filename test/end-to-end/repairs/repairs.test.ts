import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/clients.ts';
import { type Gift, newOwner } from '../gift/gift-scene.ts';
import { redeem } from '../gift/redemption-scene.ts';
import {
  type RepairScene,
  setRepairScene,
  type VoucherState,
  voucherStates,
} from './repair-scene.ts';

/**
 * Each repair in each state of its subject: allowed, and then it is done; or refused at the edge, and nothing
 * changes. The step that acts asks the same judge, so one state shows that it refuses.
 */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({ CLAIM_LIFETIME_SECONDS: '600', CALLER_WAIT_SECONDS: '2' });
});
afterAll(() => scene?.stop());

const inAYear = () => new Date(Date.now() + 360 * 86_400_000).toISOString().slice(0, 10);

/** A repair of a voucher: its arguments, the states in which it is done, and whether it leaves that state. */
const ofVouchers: Readonly<
  Record<
    string,
    {
      readonly args?: () => Record<string, string>;
      readonly done: readonly VoucherState[];
      readonly leaves?: true;
    }
  >
> = {
  'resend-message': { done: ['claimed', 'unconfirmed'] },
  'extend-claim': { args: () => ({ minutes: '30' }), done: ['claimed'] },
  'cancel-claim': { done: ['claimed'], leaves: true },
  'release-claim': { done: ['hanging'], leaves: true },
  'extend-voucher': {
    args: () => ({ until: inAYear() }),
    done: ['active', 'anonymous', 'claimed', 'hanging', 'paying', 'partly redeemed'],
  },
  'cancel-voucher': {
    done: ['active', 'anonymous', 'claimed', 'hanging', 'partly redeemed'],
    leaves: true,
  },
};

/** Vouchers are valid as long as one can be: a later day exists only before that. */
async function shorten(id: number): Promise<void> {
  await scene.stack.database
    .updateTable('vouchers')
    .set({ expires_at: new Date(Date.now() + 30 * 86_400_000) })
    .where('id', '=', id)
    .where('status', 'not in', ['EXPIRED', 'CANCELLED'])
    .execute();
}

const repairs = Object.entries(ofVouchers).map(
  ([name, { args = () => ({}), done, leaves = false }]) => ({ name, args, done, leaves }),
);

/** correct-number.test.ts has how two people do it. */
const correctNumber = { name: 'correct-number', args: () => ({ msisdn: newOwner() }) };

const rowOf = ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('vouchers')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

it.concurrent.for(voucherStates)(
  'a voucher that is %s is repaired as the table says',
  async (state) => {
    const newGift = async () => {
      const { gift } = await scene.voucherIn(state);
      await shorten(gift.id);
      return gift;
    };
    const gift = await newGift();
    const before = await rowOf(gift);
    const refused = [
      ...repairs.filter(({ done }) => !done.includes(state)),
      ...(state === 'active' ? [] : [correctNumber]),
    ];
    for (const { name, args } of refused) {
      const asked = await scene.ask(name, gift.id, args());
      expect([name, asked.kind]).toEqual([name, 'refused']);
    }
    expect(await rowOf(gift)).toEqual(before);

    // All repairs that leave it in its state are done to one voucher.
    const allowed = repairs.filter(({ done }) => done.includes(state));
    for (const { name, args, leaves } of allowed)
      if (!leaves) scene.expectDone(await scene.repaired(name, gift.id, args()));
    const [last, ...others] = allowed.filter(({ leaves }) => leaves);
    if (last) scene.expectDone(await scene.repaired(last.name, gift.id, last.args()));
    for (const { name, args } of others)
      scene.expectDone(await scene.repaired(name, (await newGift()).id, args()));
  },
);

it('the step that acts refuses each of them, too', async () => {
  const { gift } = await scene.voucherIn('cancelled');
  const before = await scene.voucher(gift);
  for (const { name, args } of repairs) {
    const row = await scene.forced(name, gift.id, args());
    expect([row.state, row.result]).toEqual(['REFUSED', expect.stringMatching(/\w+\.$/)]);
  }
  expect(await scene.voucher(gift)).toEqual(before);
});

describe('what it does', () => {
  it.concurrent('cancel-claim: the code pays nothing any more, and a new claim works', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const { current_claim_id: claimId } = await scene.voucher(gift);
    const workflow = await scene.claimWorkflow(claimId ?? '');
    scene.expectDone(await scene.repaired('cancel-claim', gift.id));
    expect(await workflow.result()).toEqual({ ended: 'released' });
    const answer = await redeem(client, gift, { verificationCode });
    expect(answer.body.statusCode).toBe(4034);
    await scene.redeemed(client, gift);
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  });

  it.concurrent('resend-message: a confirmation that got lost comes again, once', async () => {
    const { gift } = await scene.voucherIn('unconfirmed');
    const messages = `${scene.stack.sandbox.url}/messages?to=${encodeURIComponent(gift.owner ?? '')}`;
    const before = (await call(messages)).body;
    scene.expectDone(await scene.repaired('resend-message', gift.id));
    const [newest, ...others] = (await call(messages)).body;
    expect([newest.text, others.length]).toEqual([before[0].text, before.length]);
    const again = await scene.repaired('resend-message', gift.id);
    expect(again).toMatchObject({ state: 'REFUSED' });
    expect((await call(messages)).body).toHaveLength(before.length + 1);
  });

  it.concurrent('extend-claim: the same code pays after the time that the claim had', async () => {
    const { client, merchant } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    await scene.claimed(client, gift);
    const expiresAt = () =>
      scene.stack.database
        .selectFrom('voucher_claims')
        .select('expires_at')
        .where('voucher_id', '=', gift.id)
        .executeTakeFirstOrThrow();
    const before = await expiresAt();
    scene.expectDone(await scene.repaired('extend-claim', gift.id, { minutes: '60' }));
    const after = await expiresAt();
    expect(after.expires_at.getTime() - before.expires_at.getTime()).toBeGreaterThan(2_000_000);
  });

  it.concurrent('a repair of a claim does not touch a later claim', async () => {
    const { client, merchant } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    await scene.claimed(client, gift);
    const row = await scene.asked('cancel-claim', gift.id, {}, { isByTwo: true });
    await scene.claimed(client, gift);
    await scene.confirm(row.id, await scene.staff('SUPERVISOR'));
    expect(await scene.ended(row.id)).toMatchObject({
      state: 'REFUSED',
      result: expect.stringContaining('ask again'),
    });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
  });

  it.concurrent('everything stands in the audit log, under its voucher', async () => {
    const gift = await scene.gift();
    const row = await scene.repaired('cancel-voucher', gift.id);
    expect(await scene.audited(row.id)).toEqual([
      `${scene.asker}: ask repair`,
      `${scene.asker}: cancel voucher`,
    ]);
  });

  it('cancel-voucher: what is left of a partly redeemed voucher goes back, and no more', async () => {
    const { gift, merchant } = await scene.voucherIn('partly redeemed');
    const before = await scene.balances();
    const { remaining } = await scene.voucher(gift);
    scene.expectDone(await scene.repaired('cancel-voucher', gift.id));
    const after = await scene.balances();
    expect(after.eMoneyWalletBalance - before.eMoneyWalletBalance).toBeCloseTo(Number(remaining));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'CANCELLED', returned: remaining });
    expect(scene.amountsPaidTo(merchant)).toEqual(['39.00 completed']);
  });
});
