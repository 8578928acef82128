import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { merchantClient, type RawMerchant } from '../../support/clients.ts';
import { makeMerchant } from '../../support/companies.ts';
import { done } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';

let scene: RedemptionScene;
let asMerchant: RawMerchant;
let asOther: RawMerchant;

beforeAll(async () => {
  scene = await setRedemptionScene();
  const merchant = await makeMerchant(scene.stack);
  asMerchant = await merchantClient(scene.stack, merchant);
  for (const amount of [200, 100]) {
    const gift = await scene.gift({ merchant, denomination: 500 });
    await scene.redeemed(asMerchant, gift, { amount });
  }
  const refused = await makeMerchant(scene.stack, { payoutSuffix: '006' });
  asOther = await merchantClient(scene.stack, refused);
  const gift = await scene.gift({ merchant: refused, owner: null });
  expect((await redeem(asOther, gift)).body.statusCode).toBe(5031);
});
afterAll(() => scene?.stop());

const listed = async (path: string, client: RawMerchant = asMerchant) =>
  done(await client.get(path)).body;

describe('GET /redemptions', () => {
  it('shows a merchant what it is paid for, newest first', async () => {
    const { data, meta } = await listed('/redemptions');
    expect(meta).toMatchObject({ totalItems: 2, sortBy: [['id', 'DESC']] });
    expect(data).toMatchObject([
      { state: 'POSTED', toMerchant: '100.000000', amount: '102.500000', serviceFee: '2.500000' },
      { state: 'POSTED', toMerchant: '200.000000', amount: '205.000000', serviceFee: '5.000000' },
    ]);
    expect(data[0].paidAt).not.toBeNull();
  });

  it('finds one by its reference, ours or the provider’s, and by its state', async () => {
    const [first] = (await listed('/redemptions')).data;
    for (const reference of [first.platformReferenceNumber, first.referenceNumber])
      expect((await listed(`/redemptions?reference=${reference}`)).data).toEqual([first]);
    expect((await listed('/redemptions?state=VOIDED')).data).toEqual([]);
    expect((await listed('/redemptions?to=2020-01-01T00:00:00Z')).data).toEqual([]);
    expect((await listed('/redemptions?sortBy=paidAt:ASC')).data.at(-1)).toEqual(first);
  });

  it('shows nothing of other merchants, and what was refused as such', async () => {
    const { data } = await listed('/redemptions', asOther);
    expect(data).toMatchObject([{ state: 'VOIDED', paidAt: null }]);
  });

  it.each(['state=PAID', 'filter.payee=1', 'from=yesterday'])('refuses %s', async (query) => {
    expect((await asMerchant.get(`/redemptions?${query}`)).body.statusCode).toBe(400);
  });

  it('has no page beyond its last', async () => {
    expect((await asMerchant.get('/redemptions?page=9')).body).toMatchObject({
      statusCode: 404,
      data: null,
    });
  });
});

describe('GET /payouts', () => {
  it('sums up what was paid on a day', async () => {
    const { data } = await listed('/payouts');
    const day = new Date().toISOString().slice(0, 10);
    expect(data).toEqual([{ day, payouts: 2, paid: '300.000000', serviceFees: '7.500000' }]);
    expect((await listed(`/payouts?from=${day}&to=${day}`)).data).toEqual(data);
    expect((await listed('/payouts?to=2020-01-31')).data).toEqual([]);
  });

  it('has no day without a payment', async () => {
    expect((await listed('/payouts', asOther)).data).toEqual([]);
  });

  it('refuses a day that is none', async () => {
    expect((await asMerchant.get('/payouts?from=2026-02-30')).body.statusCode).toBe(400);
  });
});
