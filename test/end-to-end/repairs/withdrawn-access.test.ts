import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { type RaceScene, setRaceScene } from './race-scene.ts';
import { consent } from './repair-desk.ts';

/** Whose access is withdrawn after asking: what has not begun is not carried out. A company needs none. */
let scene: RaceScene;

beforeAll(async () => {
  scene = await setRaceScene({ CLAIM_LIFETIME_SECONDS: '600', REVERSAL_WINDOW_SECONDS: '0' });
});
afterAll(() => scene?.stop());

const disable = (account: number) =>
  sql`update portal_accounts set disabled_at = now() where id = ${account}`.execute(
    scene.stack.database,
  );

const demote = (account: number) =>
  sql`update staff_accounts set role = 'AGENT' where account_id = ${account}`.execute(
    scene.stack.database,
  );

const notAnyMore = {
  state: 'REFUSED',
  result: expect.stringContaining('may not do so any more'),
};

it('a repair of a disabled account is refused when it is carried out', async () => {
  const account = await scene.staff('AGENT');
  await disable(account);
  const gift = await scene.gift();
  const { id } = await scene.written('cancel-voucher', gift.id, {}, { actor: staffActor(account) });
  expect(await scene.ended(id)).toMatchObject(notAnyMore);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
});

it('also one that another person confirms afterwards', async () => {
  const account = await scene.staff('AGENT');
  const gift = await scene.gift();
  const { id } = await scene.asked(
    'cancel-voucher',
    gift.id,
    {},
    { actor: staffActor(account), isByTwo: true },
  );
  await disable(account);
  expect(await scene.confirm(id, await scene.staff('SUPERVISOR'))).toBe(true);
  expect(await scene.ended(id)).toMatchObject(notAnyMore);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
});

it('goodwill is credited only while who asked is an operator', async () => {
  await scene.addServiceFees('100');
  const account = await scene.staff('OPERATOR');
  const goodwill = (reference: string) =>
    scene.written(
      'credit-goodwill',
      scene.partner.id,
      { wallet: 'gift', amount: '10', reference },
      { actor: staffActor(account) },
    );
  const wallet = async () =>
    Number((await partnerBalances(scene.stack.database, scene.partner.id)).gift);
  const before = await wallet();
  scene.expectDone(await scene.ended((await goodwill('TICKET-1')).id));
  await demote(account);
  expect(await scene.ended((await goodwill('TICKET-2')).id)).toMatchObject(notAnyMore);
  expect(await wallet()).toBe(before + 10);
});

it('what has begun comes to its end', async () => {
  const account = await scene.staff('AGENT');
  const gift = await scene.gift();
  const { letGo } = await scene.halted('repair-begin-committed', () =>
    scene.asked('cancel-voucher', gift.id, {}, { actor: staffActor(account) }),
  );
  await disable(account);
  scene.expectDone(await letGo());
  expect(await scene.voucher(gift)).toMatchObject({ status: 'CANCELLED' });
});

it.each([
  ['of a merchant that may take nothing back itself', {}],
  ['of a deactivated merchant', { status: 'DEACTIVATED' }],
  ['of a deleted merchant', { status: 'DEACTIVATED', deleted_at: new Date() }],
] as const)('the payment %s is taken back by two people', async (_whose, changes) => {
  const { gift, merchant } = await scene.voucherIn('redeemed');
  await scene.stack.database
    .updateTable('merchants')
    .set({ ...changes, updated_at: new Date() })
    .where('id', '=', merchant.id)
    .execute();
  const { id: payment } = await scene.redemptionOf(gift);
  const { id, state } = await scene.asked('reverse-redemption', payment, consent);
  expect(state).toBe('ASKED');
  expect(await scene.confirm(id, await scene.staff('SUPERVISOR'))).toBe(true);
  scene.expectDone(await scene.ended(id));
  expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '100.000000' });
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 reversed']);
});

it('the vouchers of a suspended partner are cancelled, before anybody can claim them again', async () => {
  const gift = await scene.gift();
  const set = (status: 'ACTIVE' | 'SUSPENDED') =>
    scene.stack.database
      .updateTable('partners')
      .set({ status })
      .where('id', '=', scene.partner.id)
      .execute();
  await set('SUSPENDED');
  try {
    scene.expectDone(await scene.repaired('cancel-voucher', gift.id));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'CANCELLED', remaining: '0.000000' });
  } finally {
    await set('ACTIVE');
  }
});
