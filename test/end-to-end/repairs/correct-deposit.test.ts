import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeposit, findDeposit } from '../../../src/db/ledger/deposits.ts';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { readPartnerMonth } from '../../../src/db/ledger/monthly-statements.ts';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { formatGroupedAmount, formatMoney, parseMoney } from '../../../src/domain/money.ts';
import type { Month } from '../../../src/domain/statements.ts';
import { partnerClient } from '../../support/clients.ts';
import { makePartner } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { kindOf } from './repair-desk.ts';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/** A deposit is corrected to the amount that came in at the bank, as often as needed. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({ REPAIR_CONFIRM_FROM: '4000' });
});
afterAll(() => scene?.stop());

/** A partner with a deposit of ETB 3,000 that is wrong. */
async function deposited(wallet: 'gift' | 'airtime' = 'gift', amount = '3000') {
  const partner = await makePartner(scene.stack, { giftWallet: '0.01' });
  const reference = `CBE-${randomUUID()}`;
  const made = { partnerId: partner.id, wallet, amount: parseMoney(amount), reference };
  await scene.stack.database.transaction().execute((transaction) => addDeposit(transaction, made));
  /** What the wallet has by this deposit. */
  const balance = async () =>
    Number((await partnerBalances(scene.stack.database, partner.id))[wallet]) -
    (wallet === 'gift' ? 0.01 : 0);
  return { partner, reference, balance };
}

const newAsker = async () => staffActor(await scene.staff('OPERATOR'));
const asked = async (reference: string, amount: string) =>
  scene.asked('correct-deposit', reference, { amount }, { actor: await newAsker() });
const corrected = async (reference: string, amount: string) =>
  scene.ended((await asked(reference, amount)).id);

async function correctedByTwo(reference: string, amount: string) {
  const { id, state } = await asked(reference, amount);
  expect(state).toBe('ASKED');
  expect(await scene.confirm(id, await scene.staff('SUPERVISOR'))).toBe(true);
  return scene.ended(id);
}

describe('to a smaller amount', () => {
  it.each([
    ['gift', '300', 300],
    ['airtime', '0', 0],
    ['gift', '0.00', 0],
    ['gift', '2999.99', 2999.99],
  ] as const)('in the %s wallet, one person corrects it to %s', async (wallet, amount, left) => {
    const { reference, balance } = await deposited(wallet);
    const row = await corrected(reference, amount);
    scene.expectDone(row);
    expect(row.result).toContain(`ETB ${formatGroupedAmount(parseMoney(amount))} now`);
    expect(row.amount).toBe(formatMoney(parseMoney('3000') - parseMoney(amount)));
    expect(await balance()).toBeCloseTo(left, 6);
  });

  it('two people do where the difference reaches the limit', async () => {
    const { reference, balance } = await deposited('gift', '5000');
    expect(await asked(reference, '1,000')).toMatchObject({
      state: 'ASKED',
      amount: '4000.000000',
    });
    expect(await balance()).toBeCloseTo(5000, 6);
  });
});

describe('to a larger amount', () => {
  it('two people always correct it', async () => {
    const { reference, balance } = await deposited();
    const row = await correctedByTwo(reference, '3000.01');
    expect([row.state, row.amount]).toEqual(['DONE', '0.010000']);
    expect(await balance()).toBeCloseTo(3000.01, 6);
  });

  it('nobody does alone, also past the edge', async () => {
    const { reference, balance } = await deposited();
    const { id } = await scene.written('correct-deposit', reference, { amount: '3001' });
    await until(async () => {
      const row = await findRepair(scene.stack.database, id);
      expect([row?.state, row?.needs_confirmation]).toEqual(['ASKED', true]);
    });
    expect(await balance()).toBeCloseTo(3000, 6);
  });

  it('the command line does not, and says where it is asked for', async () => {
    const { reference } = await deposited();
    const one = await scene.ask(
      'correct-deposit',
      reference,
      { amount: '3001' },
      { actor: 'hanna' },
    );
    expect(one).toEqual({ kind: 'refused', refusal: expect.stringContaining('ask at /support') });
  });
});

it('it is corrected again and again, and the partner sees each change', async () => {
  const { partner, reference, balance } = await deposited();
  scene.expectDone(await corrected(reference, '300'));
  scene.expectDone(await corrected(reference, '0'));
  scene.expectDone(await correctedByTwo(reference, '4500'));
  scene.expectDone(await corrected(reference, '4000'));
  expect(await balance()).toBeCloseTo(4000, 6);
  const client = await partnerClient(scene.stack, partner);
  const { body } = await client.get('/transactions?kind=deposit-correction');
  const { transactions } = body.data as { transactions: readonly Record<string, unknown>[] };
  expect(transactions.map((one) => [one.amount, one.reference])).toEqual(
    ['-500.000000', '4500.000000', '-300.000000', '-2700.000000'].map((amount) => [
      amount,
      reference,
    ]),
  );
  const month = new Date().toISOString().slice(0, 7) as Month;
  const { sections } = await readPartnerMonth(scene.stack.database, partner.id, {
    month,
    zone: 'UTC',
  });
  expect(sections[0]?.lines).toContainEqual({
    label: 'Deposits corrected',
    count: 4,
    amount: '1000.000000',
  });
});

it('an equal amount, or a negative one, is refused', async () => {
  const { reference } = await deposited();
  expect(await scene.ask('correct-deposit', reference, { amount: '3000' })).toEqual({
    kind: 'refused',
    refusal: 'The deposit is ETB 3,000.00 already: there is nothing to correct.',
  });
  for (const amount of ['-1', '0.001', '', 'none'])
    expect(kindOf('correct-deposit').fields.safeParse({ amount }).success).toBe(false);
});

it('two people who ask for the same at the same moment correct it once', async () => {
  const { reference, balance } = await deposited();
  const answers = await Promise.all(
    [await newAsker(), await newAsker()].map((actor) =>
      scene.ask('correct-deposit', reference, { amount: '300' }, { actor }),
    ),
  );
  // The second one comes while the first is open, or after it.
  expect(answers.map(({ kind }) => kind)).toContain('asked');
  for (const answer of answers)
    if (answer.kind !== 'refused') scene.expectDone(await scene.ended(answer.row.id));
    else expect(answer).toMatchObject({ refusal: expect.stringContaining('nothing to correct') });
  expect(await balance()).toBe(300);
  expect(await findDeposit(scene.stack.database, reference)).toMatchObject({ corrections: 1 });
});
