import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDeposit } from '../../../src/db/ledger/deposits.ts';
import { partnerBalances, serviceFeesBalance } from '../../../src/db/ledger/ledger.ts';
import { formatMoney, parseMoney } from '../../../src/domain/money.ts';
import { makePartner } from '../../support/companies.ts';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/** Goodwill is paid out of the service fees, as long as they cover it. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({});
});
afterAll(() => scene?.stop());

const goodwill = (amount: string) => ({
  wallet: 'gift',
  amount,
  reference: `TICKET-${randomUUID()}`,
});
const fees = async () => formatMoney((await serviceFeesBalance(scene.stack.database)) ?? -1n);
const deposited = (partnerId: number, reference: string, amount: string) =>
  scene.stack.database
    .transaction()
    .execute((transaction) =>
      addDeposit(transaction, { partnerId, wallet: 'gift', amount: parseMoney(amount), reference }),
    );
const walletOf = async (id: number) => (await partnerBalances(scene.stack.database, id)).gift;

it('is refused at the edge and when it is carried out, where the fees do not cover it', async () => {
  const { id } = scene.partner;
  const before = await walletOf(id);
  expect(await scene.ask('credit-goodwill', id, goodwill('0.01'))).toEqual({
    kind: 'refused',
    refusal: expect.stringContaining('The service fees of ETB 0.00 do not cover it'),
  });
  expect(await scene.forced('credit-goodwill', id, goodwill('0.01'))).toMatchObject({
    state: 'REFUSED',
    result: expect.stringContaining('do not cover it'),
  });
  expect(await walletOf(id)).toBe(before);
});

it('of credits at the same moment only those are done that the fees cover', async () => {
  await scene.addServiceFees('50');
  const partners = await Promise.all([1, 2, 3, 4].map(() => makePartner(scene.stack)));
  const rows = await Promise.all(
    partners.map(({ id }) => scene.forced('credit-goodwill', id, goodwill('20'))),
  );
  expect(rows.map(({ state }) => state).sort()).toEqual(['DONE', 'DONE', 'REFUSED', 'REFUSED']);
  expect(await fees()).toBe('10.000000');
  await scene.expectInTurn('credit-goodwill', [1, 2], goodwill('20'));
});

it('of one ticket that is written differently it is credited once', async () => {
  await scene.addServiceFees('10');
  const { id } = await makePartner(scene.stack);
  const before = Number(await walletOf(id));
  const args = { ...goodwill('5'), reference: `Ticket-${randomUUID()}` };
  scene.expectDone(await scene.repaired('credit-goodwill', id, args));
  for (const reference of [args.reference.toLowerCase(), args.reference.toUpperCase()])
    expect(await scene.repaired('credit-goodwill', id, { ...args, reference })).toMatchObject({
      state: 'REFUSED',
      result: expect.stringContaining(`An amount was credited under ${args.reference} before`),
    });
  expect(Number(await walletOf(id))).toBe(before + 5);
});

it('a deposit whose reference is written differently is one subject', async () => {
  const { id } = await makePartner(scene.stack);
  const reference = `Cbe-${randomUUID()}`;
  await deposited(id, reference, '30');
  const [args, waiting] = [{ amount: '20' }, { isByTwo: true }];
  const first = await scene.asked('correct-deposit', reference.toLowerCase(), args, waiting);
  const second = await scene.asked('correct-deposit', reference.toUpperCase(), args, waiting);
  expect([second.id, second.subject_id]).toEqual([first.id, reference]);
  expect(await scene.ask('correct-deposit', `${reference}-other`, args)).toEqual({
    kind: 'refused',
    refusal: `There is no deposit ${reference}-other: find the case again.`,
  });
});

it('and deposits that are corrected are repairs of a suspended partner, too', async () => {
  await scene.addServiceFees('10');
  const { id } = await makePartner(scene.stack);
  const reference = `CBE-${randomUUID()}`;
  await deposited(id, reference, '250');
  await scene.stack.database
    .updateTable('partners')
    .set({ status: 'SUSPENDED' })
    .where('id', '=', id)
    .execute();
  const before = Number(await walletOf(id));
  expect(await scene.forced('credit-goodwill', id, goodwill('10'))).toMatchObject({
    state: 'DONE',
  });
  expect(Number(await walletOf(id))).toBe(before + 10);
  expect(await scene.forced('correct-deposit', reference, { amount: '0' })).toMatchObject({
    state: 'DONE',
  });
  expect(Number(await walletOf(id))).toBe(before + 10 - 250);
});
