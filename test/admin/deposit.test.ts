import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findDeposit } from '../../src/db/ledger/deposits.ts';
import { addTransfers, balanceConstraint, partnerBalances } from '../../src/db/ledger/ledger.ts';
import { type Money, parseMoney } from '../../src/domain/money.ts';
import { correctedTo } from '../support/deposits.ts';
import { type AdminScene, openScene, statementOf } from './scene.ts';

let scene: AdminScene;
let partnerId: number;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

beforeEach(async () => {
  partnerId = (await scene.json('partner create --name Acme')).id;
});

const transfersOf = (operationId: string) =>
  scene.database
    .selectFrom('ledger_transfers')
    .select(['step', 'amount'])
    .where('operation_id', '=', operationId)
    .execute();

test.each(['gift', 'airtime'] as const)(
  'a deposit is credited to the %s wallet',
  async (wallet) => {
    const reference = `slip-${partnerId}`;
    const { out, code } = await scene.admin(
      `money deposit --partner ${partnerId} --wallet ${wallet} --amount 1500.5 --reference ${reference}`,
    );
    expect(code).toBe(0);
    expect(out).toContain(`Deposited ETB 1,500.50 to the ${wallet} wallet of partner ${partnerId}`);
    const untouched = {
      ...{ airtime: '0.000000', gift: '0.000000', reserved: '0.000000' },
      low: { airtime: null, gift: null },
    };
    expect(await partnerBalances(scene.database, partnerId)).toEqual({
      ...untouched,
      [wallet]: '1500.500000',
    });
    expect(await transfersOf(`deposit:${reference}`)).toEqual([
      { step: 'deposit', amount: '1500.500000' },
    ]);
  },
);

describe('with the reference of an earlier deposit', () => {
  const deposit = (reference: string, words = '--wallet gift --amount 200') =>
    scene.admin(`money deposit --partner ${partnerId} ${words} --reference ${reference}`);

  test('the same deposit changes nothing and says so', async () => {
    const reference = `again-${partnerId}`;
    await deposit(reference);
    const again = await deposit(reference);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toContain('was deposited before');
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('200.000000');
    const audited = (await scene.auditRows()).filter(({ action, details }) =>
      JSON.stringify([action, details]).includes(reference),
    );
    expect(audited).toHaveLength(1);
  });

  test('written in the other case it is the same slip', async () => {
    const reference = `Cbe-case-${partnerId}`;
    await deposit(reference);
    for (const other of [reference.toLowerCase(), reference.toUpperCase()])
      expect((await deposit(other)).out).toContain(`was deposited before as ${reference}`);
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('200.000000');
  });

  test('ten at the same moment are one', async () => {
    const reference = `race-${partnerId}`;
    const results = await Promise.all(Array.from({ length: 10 }, () => deposit(reference)));
    expect(results.map(({ code }) => code)).toEqual(Array(10).fill(0));
    const fresh = results.filter(({ out }) => !out.includes('before'));
    expect(fresh).toHaveLength(1);
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('200.000000');
  });

  test.each([
    ['amount', '--wallet gift --amount 200.01'],
    ['wallet', '--wallet airtime --amount 200'],
  ])('another %s is refused', async (_what, words) => {
    const reference = `other-${partnerId}`;
    await deposit(reference);
    const other = await deposit(reference, words);
    expect(other).toMatchObject({ code: 1, out: '' });
    expect(other.err).toMatch(
      new RegExp(`reference ${reference} .* ETB 200\\.00 .* gift wallet of partner ${partnerId}`),
    );
    expect(await partnerBalances(scene.database, partnerId)).toMatchObject({
      gift: '200.000000',
      airtime: '0.000000',
    });
  });

  test('another partner is refused', async () => {
    const reference = `partner-${partnerId}`;
    await deposit(reference);
    const { id } = await scene.json('partner create --name Other');
    const other = await scene.admin(
      `money deposit --partner ${id} --wallet gift --amount 200 --reference ${reference}`,
    );
    expect(other.code).toBe(1);
    expect((await partnerBalances(scene.database, id)).gift).toBe('0.000000');
  });
});

describe('a deposit that was a mistake', () => {
  const ask = (reference: string) =>
    scene.admin([
      ...['money', 'correct-deposit', reference, '--amount', '0'],
      ...['--why', 'Meant for another partner'],
    ]);
  /** As the repair does it; no worker runs here. */
  const correct = (reference: string, amount: Money) =>
    correctedTo(scene.database, reference, amount);
  const balances = () => partnerBalances(scene.database, partnerId);
  const deposited = async (wallet: string, tag: string) => {
    const reference = `${tag}-${partnerId}`;
    await scene.json(
      `money deposit --partner ${partnerId} --wallet ${wallet} --amount 4250.5 --reference ${reference}`,
    );
    return reference;
  };

  test.each(['gift', 'airtime'] as const)('is corrected in the %s wallet', async (wallet) => {
    const reference = await deposited(wallet, 'wrong');
    await correct(reference, parseMoney('5000'));
    await correct(reference, 0n);
    expect((await balances())[wallet]).toBe('0.000000');
    const { lines } = await statementOf(scene, partnerId, wallet);
    expect(lines.map(({ explanation, debit, credit }) => [explanation, debit, credit])).toEqual([
      [`Deposit ${reference}`, null, '4250.500000'],
      [`Deposit ${reference} corrected`, null, '749.500000'],
      [`Deposit ${reference} corrected`, '5000.000000', null],
    ]);
    const again = await ask(reference);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('ETB 0.00 already')]);
  });

  test('is asked for once, also by ten at the same moment', async () => {
    const reference = await deposited('gift', 'once');
    const results = await Promise.all(Array.from({ length: 10 }, () => ask(reference)));
    expect(results.map(({ code }) => code)).toEqual(Array(10).fill(0));
    expect(results.filter(({ out }) => out.startsWith('No change'))).toHaveLength(9);
    const audited = (await scene.auditRows()).filter(
      ({ action, details }) =>
        action === 'ask repair' && JSON.stringify(details).includes(reference),
    );
    expect(audited).toMatchObject([
      { actor: 'hanna', details: { amount: '4250.500000', why: 'Meant for another partner' } },
    ]);
  });

  test('is corrected once to an amount, also by ten at the same moment', async () => {
    const reference = await deposited('gift', 'taken');
    // What a second one could take, if it were made.
    await scene.json(`money deposit --partner ${partnerId} --wallet gift --amount 9000000`);
    await Promise.all(Array.from({ length: 10 }, () => correct(reference, 0n)));
    expect(await findDeposit(scene.database, reference)).toMatchObject({ corrections: 1 });
    expect((await balances()).gift).toBe('9000000.000000');
  });

  test('needs another person from the limit of repairs on', async () => {
    const reference = `large-${partnerId}`;
    await scene.json(
      `money deposit --partner ${partnerId} --wallet gift --amount 5000 --reference ${reference}`,
    );
    const { code, err } = await ask(reference);
    expect([code, err]).toEqual([1, expect.stringContaining('Two people are needed')]);
    expect((await balances()).gift).toBe('5000.000000');
  });

  test('is left alone where the wallet does not cover it any more', async () => {
    const reference = await deposited('gift', 'spent');
    await scene.database.transaction().execute((transaction) =>
      addTransfers(transaction, [
        {
          operationId: `spending-${partnerId}`,
          partnerId,
          step: 'correct',
          debit: 'gift',
          credit: 'funding',
          amount: 1n,
        },
      ]),
    );
    const refused = await ask(reference);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^The wallet does not cover it any more/);
    await expect(correct(reference, 0n)).rejects.toThrow(balanceConstraint);
    expect((await balances()).gift).toBe('4250.499999');
  });

  test('keeps its reference: the same deposit again is refused', async () => {
    const reference = await deposited('gift', 'again');
    await correct(reference, parseMoney('425.05'));
    const again = await scene.admin(
      `money deposit --partner ${partnerId} --wallet gift --amount 4250.5 --reference ${reference}`,
    );
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain('was corrected to ETB 425.05');
    expect((await balances()).gift).toBe('425.050000');
  });

  test('that nobody made is refused, as is one without a reason', async () => {
    expect(await ask('never')).toMatchObject({
      code: 1,
      err: 'There is no deposit never: find the case again.\n',
    });
    const reference = await deposited('gift', 'reason');
    const { code, err } = await scene.admin([
      'money',
      'correct-deposit',
      reference,
      '--amount',
      '0',
    ]);
    expect(code).toBe(1);
    expect(err).toContain('--why');
    expect((await balances()).gift).toBe('4250.500000');
  });

  test('that was corrected by more than it was is found by the check of the ledger', async () => {
    const { close, database, json, admin } = await openScene();
    const { id } = await json('partner create --name Broken');
    await json(`money deposit --partner ${id} --wallet gift --amount 10 --reference broken`);
    await json(`money deposit --partner ${id} --wallet gift --amount 1 --reference whole`);
    await database.transaction().execute((transaction) =>
      addTransfers(transaction, [
        {
          operationId: 'deposit:broken',
          partnerId: id,
          step: 'correct-deposit-1',
          debit: 'gift',
          credit: 'funding',
          amount: parseMoney('10.01'),
        },
      ]),
    );
    const { code, out } = await admin('money check-ledger');
    expect(code).toBe(2);
    expect(out).toContain('operation deposit:broken');
    await expect(close()).rejects.toThrow('a deposit is corrected in its own wallet');
  });
});

test('without a reference each deposit gets one of its own, and is another', async () => {
  const words = `money deposit --partner ${partnerId} --wallet gift --amount 10`;
  const first = await scene.json(words);
  const second = await scene.json(words);
  expect(first.reference).not.toBe(second.reference);
  expect((await partnerBalances(scene.database, partnerId)).gift).toBe('20.000000');
});

test.each(['0', '-5', '1.001', '1e3', 'much', '', '1,000', '123456789012345', '0.00'])(
  'the amount "%s" is refused',
  async (amount) => {
    const words = [
      'money',
      'deposit',
      '--partner',
      `${partnerId}`,
      '--wallet',
      'gift',
      '--amount',
      amount,
    ];
    const refused = await scene.admin(words);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^--amount must be an amount in ETB .*\n$/);
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('0.000000');
  },
);

test('a partner that does not exist is refused', async () => {
  const refused = await scene.admin('money deposit --partner 999999 --wallet gift --amount 1');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toBe('There is no partner 999999: see "partner list".\n');
});

test('a deposit that cannot be audited is not made', async () => {
  await sql`alter table audit_log add constraint audit_broken check (false) not valid`.execute(
    scene.database,
  );
  try {
    const failed = await scene.admin(
      `money deposit --partner ${partnerId} --wallet gift --amount 10`,
    );
    expect(failed.code).toBe(1);
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('0.000000');
  } finally {
    await sql`alter table audit_log drop constraint audit_broken`.execute(scene.database);
  }
});
