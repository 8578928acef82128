import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { partnerBalances } from '../../src/db/ledger/ledger.ts';
import { expireAll, makeVoucher, redemptions } from './movements.ts';
import { type AdminScene, type Catalogue, commandsOn, makeCatalogue, openScene } from './scene.ts';

let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

beforeEach(async () => {
  catalogue = await makeCatalogue(scene);
  await scene.json(`deposit --partner ${catalogue.partnerId} --wallet gift --amount 1000`);
});

const voucherRow = (id: number) =>
  scene.database
    .selectFrom('vouchers')
    .select(['status', 'amount', 'remaining', 'held', 'returned'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

test.each(['id', 'serialNumber'] as const)(
  'an active voucher is cancelled by its %s',
  async (by) => {
    const voucher = await makeVoucher(scene.database, catalogue);
    expect(await partnerBalances(scene.database, catalogue.partnerId)).toMatchObject({
      gift: '500.000000',
      reserved: '500.000000',
    });
    const { code, out } = await scene.admin(`cancel voucher ${voucher[by]}`);
    expect(code).toBe(0);
    expect(out).toContain(`Cancelled voucher ${voucher.serialNumber}`);
    expect(out).toContain('ETB 500.00');
    expect(await voucherRow(voucher.id)).toEqual({
      status: 'CANCELLED',
      amount: '500.000000',
      remaining: '0.000000',
      held: '0.000000',
      returned: '500.000000',
    });
    expect(await partnerBalances(scene.database, catalogue.partnerId)).toMatchObject({
      gift: '1000.000000',
      reserved: '0.000000',
    });
    expect((await scene.auditRows()).at(-1)).toMatchObject({
      action: 'cancel voucher',
      details: { serialNumber: voucher.serialNumber, returned: '500.000000' },
    });
  },
);

test('a large one needs another person', async () => {
  const commands = commandsOn({ ...scene.environment, REPAIR_CONFIRM_FROM: '500' });
  const voucher = await makeVoucher(scene.database, catalogue);
  const { code, err } = await commands.admin(`cancel voucher ${voucher.id}`);
  expect(code).toBe(1);
  expect(err).toContain('/support for the repair cancel-voucher ("Cancel the voucher")');
  expect(await voucherRow(voucher.id)).toMatchObject({ status: 'ACTIVE', remaining: '500.000000' });
});

test('only what remains of a partly redeemed voucher comes back', async () => {
  const voucher = await makeVoucher(scene.database, catalogue);
  const redeem = redemptions(scene.database, catalogue);
  await redeem.post(await redeem.hold(voucher.id, '300'));
  await scene.json(`cancel voucher ${voucher.id}`);
  expect(await voucherRow(voucher.id)).toMatchObject({
    status: 'CANCELLED',
    remaining: '0.000000',
    returned: '192.500000',
  });
  expect(await partnerBalances(scene.database, catalogue.partnerId)).toMatchObject({
    gift: '692.500000',
    reserved: '0.000000',
  });
});

test('a claimed voucher is cancelled, because its claim has paid nothing', async () => {
  const voucher = await makeVoucher(scene.database, catalogue);
  await scene.database
    .updateTable('vouchers')
    .set({ status: 'REDEEM_INITIATED' })
    .where('id', '=', voucher.id)
    .execute();
  await scene.json(`cancel voucher ${voucher.id}`);
  expect(await voucherRow(voucher.id)).toMatchObject({
    status: 'CANCELLED',
    returned: '500.000000',
  });
});

describe('is refused, and moves nothing,', () => {
  const redeem = () => redemptions(scene.database, catalogue);
  test.each([
    ['REDEEM_PROCESSING', (id: number) => redeem().hold(id)],
    ['REDEEMED', async (id: number) => redeem().post(await redeem().hold(id))],
    ['CANCELLED', (id: number) => scene.json(`cancel voucher ${id}`)],
  ])('for a voucher that is %s', async (status, reach) => {
    const voucher = await makeVoucher(scene.database, catalogue);
    await reach(voucher.id);
    const before = await partnerBalances(scene.database, catalogue.partnerId);
    const rowsBefore = await scene.auditRows();
    const refused = await scene.admin(`cancel voucher ${voucher.id}`);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(new RegExp(`^Voucher ${voucher.serialNumber} is ${status}: .*\n$`));
    expect((await voucherRow(voucher.id)).status).toBe(status);
    expect(await partnerBalances(scene.database, catalogue.partnerId)).toEqual(before);
    expect(await scene.auditRows()).toEqual(rowsBefore);
  });

  test('for one that has expired', async () => {
    const voucher = await makeVoucher(scene.database, catalogue, { validityDays: -1 });
    await expireAll(scene.database);
    const refused = await scene.admin(`cancel voucher ${voucher.id}`);
    expect(refused.err).toContain('is EXPIRED');
    expect((await partnerBalances(scene.database, catalogue.partnerId)).gift).toBe('1000.000000');
  });

  test.each(['999999', '000000000000000000', 'abc', '-1'])('for "%s"', async (voucher) => {
    const refused = await scene.admin(['cancel', 'voucher', '--', voucher]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err.trim().split('\n')).toHaveLength(1);
  });
});

test('ten cancellations at the same moment return the money once', async () => {
  const voucher = await makeVoucher(scene.database, catalogue);
  const results = await Promise.all(
    Array.from({ length: 10 }, () => scene.admin(`cancel voucher ${voucher.id}`)),
  );
  expect(results.filter(({ code }) => code === 0)).toHaveLength(1);
  expect((await partnerBalances(scene.database, catalogue.partnerId)).gift).toBe('1000.000000');
});

test('of a cancellation and a redemption at the same moment one wins', async () => {
  const redeem = redemptions(scene.database, catalogue);
  for (let round = 0; round < 10; round += 1) {
    const voucher = await makeVoucher(scene.database, catalogue, { amount: '50' });
    const [cancelled, held] = await Promise.all([
      scene.admin(`cancel voucher ${voucher.id}`),
      redeem.hold(voucher.id),
    ]);
    const { status } = await voucherRow(voucher.id);
    if (cancelled.code === 0) {
      expect({ held, status }).toEqual({ held: 'voucher-not-found', status: 'CANCELLED' });
    } else {
      expect(status).toBe('REDEEM_PROCESSING');
      await redeem.void(held);
    }
  }
});
