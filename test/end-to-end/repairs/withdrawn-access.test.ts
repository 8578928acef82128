import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { type RaceScene, setRaceScene } from './race-scene.ts';

/** Whose access is withdrawn after asking: what has not begun is not carried out. */
let scene: RaceScene;

beforeAll(async () => {
  scene = await setRaceScene({ CLAIM_LIFETIME_SECONDS: '600' });
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
