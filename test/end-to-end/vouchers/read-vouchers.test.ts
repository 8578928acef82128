import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePartner } from '../../support/companies.ts';
import { done, type Gift, newOwner } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';

let scene: RedemptionScene;
const OWNER = newOwner();
let redeemed: Gift;
let anonymous: Gift;
let strange: Gift;

beforeAll(async () => {
  scene = await setRedemptionScene();
  redeemed = await scene.gift({ owner: OWNER, denomination: 500 });
  await scene.redeemed(scene.asMerchant, redeemed, { amount: 200 });
  anonymous = await scene.gift({ owner: null, denomination: 1000 });
  const other = await makePartner(scene.stack, { giftWallet: '1000' });
  strange = await scene.gift({ partner: other });
});
afterAll(() => scene?.stop());

const listed = async (query: string) => (await scene.asPartner.get(`/vouchers?${query}`)).body;
const idsOf = ({ data }: { data: { id: number }[] }) => data.map(({ id }) => id);

describe('GET /vouchers', () => {
  it('shows a partner its own vouchers, newest first, without code and with a masked owner', async () => {
    const body = await listed('');
    expect(idsOf(body)).toEqual([anonymous.id, redeemed.id]);
    expect(body.data[1]).toMatchObject({
      status: 'ACTIVE',
      amount: '500.000000',
      remainingBalance: '295.000000',
      merchantId: scene.merchant.id,
    });
    expect(body.data[0]).toMatchObject({ msisdn: null, remainingBalance: '1000.000000' });
    const text = JSON.stringify(body);
    for (const secret of [OWNER, OWNER.slice(1), redeemed.voucherCode, anonymous.voucherCode])
      expect(text).not.toContain(secret);
  });

  it.each([
    ['status=ACTIVE', true],
    ['status=EXPIRED', false],
    ['serialNumber=SERIAL', true],
    ['search=PART', true],
    ['filter.remainingBalance=$lt:300', true],
    ['filter.remainingBalance=$lt:200', false],
    ['filter.expirationDate=$gt:2020-01-01T00:00:00Z', true],
    ['to=2020-01-01T00:00:00Z', false],
  ])('finds by a condition: %s, %s', async (query, isFound) => {
    const { data } = (await scene.asPartner.get(`/vouchers/${redeemed.id}`)).body;
    const filled = query
      .replace('SERIAL', data.serialNumber)
      .replace('PART', data.serialNumber.slice(3, 12));
    expect(idsOf(await listed(filled)).includes(redeemed.id)).toBe(isFound);
  });

  it('sorts by amount, and goes page by page', async () => {
    expect(idsOf(await listed('sortBy=amount:ASC'))).toEqual([redeemed.id, anonymous.id]);
    const second = await listed('sortBy=amount:ASC&limit=1&page=2');
    expect(idsOf(second)).toEqual([anonymous.id]);
    expect(second.meta).toMatchObject({ totalItems: 2, totalPages: 2 });
  });

  it.each(['status=BROKEN', 'filter.msisdn=%2B251', 'search=a&searchBy=msisdn'])(
    'refuses a query that it does not know: %s',
    async (query) => {
      expect((await scene.asPartner.get(`/vouchers?${query}`)).status).toBe(400);
    },
  );
});

describe('GET /vouchers/:voucherId', () => {
  it('shows state, claims, redemptions and messages', async () => {
    const { data } = done(await scene.asPartner.get(`/vouchers/${redeemed.id}`)).body;
    expect(data).toMatchObject({
      id: redeemed.id,
      status: 'ACTIVE',
      remainingBalance: '295.000000',
      heldAmount: '0.000000',
      returnedAmount: '0.000000',
      isRestricted: true,
      endedAt: null,
      claims: [{ status: 'REDEEMED', amount: '200.000000' }],
      redemptions: [{ status: 'SUCCESS', amount: '205.000000', paidLateAt: null }],
      messages: [
        { kind: 'VERIFICATION_CODE', status: 'SENT' },
        { kind: 'REDEMPTION_CONFIRMATION' },
      ],
    });
    // The fee is the merchant's business.
    expect(JSON.stringify(data.redemptions)).not.toMatch(/fee|"5\.000000"/i);
    expect(JSON.stringify(data)).not.toContain(OWNER);
  });

  it('answers the same for a voucher of another partner as for none', async () => {
    const [other, none] = await Promise.all(
      [strange.id, 999_999].map((id) => scene.asPartner.get(`/vouchers/${id}`)),
    );
    expect(other?.status).toBe(404);
    expect(other?.body).toEqual(none?.body);
  });
});
