import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { merchantClient } from '../../support/clients.ts';
import { makeMerchant, type TestMerchant } from '../../support/companies.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { CLAIM, type Client, done, GENERATE, type Gift, newOwner } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** Whose numbers messages go to, and how many a company can cause in a day. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({
    CALLER_WAIT_SECONDS: '25',
    SERVED_COUNTRIES: 'ET, ke',
    MESSAGES_PER_COMPANY_AND_DAY: '4',
  });
});
afterAll(() => scene?.stop());

const ABROAD = '+12025550123';

async function newMerchant(): Promise<{ merchant: TestMerchant; client: Client }> {
  const merchant = await makeMerchant(scene.stack);
  return { merchant, client: await merchantClient(scene.stack, merchant) };
}

const openGift = (owner: string | null = newOwner()) => scene.gift({ owner, isRestricted: false });

const claim = (client: Client, { voucherCode }: Gift) => client.post(CLAIM, { voucherCode });

const countsOf = ({ kind, id }: Company) =>
  scene.stack.database
    .selectFrom('company_daily_counts')
    .select(['messages', 'messages_spent_at'])
    .where('company_kind', '=', kind)
    .where('company_id', '=', id)
    .executeTakeFirst();

const setBudget = ({ id }: TestMerchant, messages_per_day: number | null) =>
  scene.stack.database
    .updateTable('merchants')
    .set({ messages_per_day })
    .where('id', '=', id)
    .execute();

const spent = {
  reason: 'company-messages-exhausted',
  headers: { 'Retry-After': /^\d{1,5}$/ },
} as const;

describe('numbers of countries that are not served', () => {
  const notServed = { reason: 'country-not-served', says: 'served countries are ET, KE' } as const;
  const generate = (msisdn: string | null) =>
    scene.asPartner.post(GENERATE, {
      denominationId: scene.partner.denominations[100],
      merchantId: scene.merchant.id,
      msisdn,
    });

  test('are refused at generation, and those of others are not', async () => {
    const before = await scene.holdings();
    const answer = await generate(ABROAD);
    expectRefusal(answer, 'partner', 400, notServed);
    expect(await scene.holdings()).toEqual(before);
    done(await generate('0911234567'));
    done(await generate('+254712345678'));
    done(await generate(null));
  });

  test('are refused where an anonymous redemption would tell them', async () => {
    for (const [client, surface] of [
      [scene.asPartner, 'partner'],
      [scene.asMerchant, 'merchant'],
    ] as const) {
      const gift = await openGift(null);
      const before = await scene.holdings();
      const answer = await redeem(client, gift, { msisdn: ABROAD });
      expectRefusal(answer, surface, 400, notServed);
      expect(await scene.holdings()).toEqual(before);
      done(await redeem(client, gift));
    }
    expect(scene.stack.sandbox.books.messages(ABROAD)).toEqual([]);
  });

  test('keep what they own: a voucher from before can be claimed and redeemed', async () => {
    const gift = await openGift();
    await scene.stack.database
      .updateTable('vouchers')
      .set({ owner_msisdn: scene.stack.api.services.numbers.store(ABROAD) })
      .where('id', '=', gift.id)
      .execute();
    const { client } = await newMerchant();
    const verificationCode = await scene.claimed(client, { ...gift, owner: ABROAD });
    done(await redeem(client, gift, { verificationCode, msisdn: ABROAD }));
  });
});

describe('the messages of a company and day', () => {
  test('are counted exactly, however many claims come at the same moment', async () => {
    const { merchant, client } = await newMerchant();
    const gifts = await Promise.all(Array.from({ length: 10 }, () => openGift()));
    const answers = await Promise.all(gifts.map((gift) => claim(client, gift)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(4).fill(200), ...Array(6).fill(429)]);
    const sent = gifts.flatMap(({ owner }) => scene.stack.sandbox.books.messages(owner ?? ''));
    expect(sent).toHaveLength(4);
    const company = { kind: 'merchant', id: merchant.id } as const;
    const counts = await countsOf(company);
    expect(counts?.messages).toBe(4);
    expect(counts?.messages_spent_at).toBeInstanceOf(Date);

    // Nothing of a refused claim stays, and others have budgets of their own.
    const refused = gifts[answers.findIndex(({ status }) => status === 429)] as Gift;
    expect(await scene.voucher(refused)).toMatchObject({
      status: 'ACTIVE',
      current_claim_id: null,
    });
    expectRefusal(await claim(client, refused), 'merchant', 429, spent);
    done(await claim((await newMerchant()).client, refused));
  });

  test('are what the operator has set for it', async () => {
    const { merchant, client } = await newMerchant();
    await setBudget(merchant, 1);
    done(await claim(client, await openGift()));
    expectRefusal(await claim(client, await openGift()), 'merchant', 429, spent);
    await setBudget(merchant, 2);
    done(await claim(client, await openGift()));
    expectRefusal(await claim(client, await openGift()), 'merchant', 429, spent);
    await setBudget(merchant, null);
    done(await claim(client, await openGift()));
  });

  test('raise their alarm where the budget was lowered below what was counted', async () => {
    const { merchant, client } = await newMerchant();
    const company = { kind: 'merchant', id: merchant.id } as const;
    done(await claim(client, await openGift()));
    done(await claim(client, await openGift()));
    expect((await countsOf(company))?.messages_spent_at).toBeNull();
    await setBudget(merchant, 1);
    expectRefusal(await claim(client, await openGift()), 'merchant', 429, spent);
    expect(await countsOf(company)).toEqual({ messages: 2, messages_spent_at: expect.any(Date) });
  });

  test('are given back where the provider refused them', async () => {
    const { merchant, client } = await newMerchant();
    const company = { kind: 'merchant', id: merchant.id } as const;
    const refused = await openGift(newOwner('002'));
    expect((await claim(client, refused)).body.statusCode).toBe(5003);
    expect((await countsOf(company))?.messages).toBe(0);
  });

  test('are counted for the partner that claims', async () => {
    const before = (await countsOf({ kind: 'partner', id: scene.partner.id }))?.messages ?? 0;
    for (let message = before + 1; message <= 4; message += 1)
      done(await claim(scene.asPartner, await openGift()));
    expectRefusal(await claim(scene.asPartner, await openGift()), 'partner', 429, spent);
  });

  test('leave confirmations of anonymous redemptions out, and the money goes on', async () => {
    const { merchant, client } = await newMerchant();
    await setBudget(merchant, 1);
    const [told, untold] = [newOwner(), newOwner()];
    done(await redeem(client, await openGift(null), { msisdn: told }));
    const gift = await openGift(null);
    done(await redeem(client, gift, { msisdn: untold }));
    const message = await scene.stack.database
      .selectFrom('messages')
      .select(['status', 'provider_message'])
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(message).toEqual({
      status: 'CANCELLED',
      provider_message: 'Left out: the company has sent its messages of the day',
    });
    await expect.poll(() => scene.stack.sandbox.books.messages(told).length).toBe(1);
    expect(scene.stack.sandbox.books.messages(untold)).toEqual([]);
  });
});
