import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseMoney } from '../../src/domain/money.ts';
import { doneLate, takenBack } from '../positions/placements.ts';
import { makeVoucher, redemptions } from './movements.ts';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from './scene.ts';

let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
});
afterAll(() => scene?.close());

test('the totals of all accounts are shown, and what is open in suspense', async () => {
  const { database } = scene;
  const { partnerId } = catalogue;
  const { id: otherId } = await scene.json('partner create --name Other');
  await scene.json(`money deposit --partner ${partnerId} --wallet gift --amount 1234567.5`);
  await scene.json(`money deposit --partner ${otherId} --wallet gift --amount 100`);
  const redeem = redemptions(database, catalogue);
  const { id } = await makeVoucher(database, catalogue);
  const redeemed = await redeem.hold(id, '200');
  await redeem.post(redeemed);
  const quiet = await scene.admin('money check-ledger');
  expect(quiet).toMatchObject({ code: 0, err: '' });
  expect(quiet.out).toMatch(/^The ledger is in order\.\n\nKIND +BALANCE\n/);
  expect(quiet.out).toMatch(/\ngift +1,234,167\.50\n/);
  expect(quiet.out).toMatch(/\nfunding +-1,234,667\.50\n/);
  expect(quiet.out).toMatch(/\nservice-fees +5\.00\n/);
  expect(quiet.out).toMatch(/\nNothing is open in suspense\.\n$/);

  const refused = await redeem.hold((await makeVoucher(database, catalogue)).id, '65');
  await redeem.void(refused);
  await doneLate(database, refused);
  await takenBack(database, redeemed);
  const { out } = await scene.admin('money check-ledger');
  expect(out).toContain(
    'Open in suspense: 2 operations, ETB 65.00 to be borne and ETB 200.00 to be credited.',
  );
  const { ok, faults, totals } = await scene.json('money check-ledger');
  expect({ ok, faults }).toEqual({ ok: true, faults: [] });
  expect(totals.openSuspense).toEqual({
    count: 2,
    toBeBorne: '65.000000',
    toBeCredited: '200.000000',
  });
  const sum = totals.accounts.reduce(
    (total: bigint, { balance }: { balance: string }) => total + parseMoney(balance),
    0n,
  );
  expect(sum).toBe(0n);
});
