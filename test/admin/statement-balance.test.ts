import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violates } from '../../src/db/connection.ts';
import { readStatementPage, type Wallet } from '../../src/db/ledger/account-statements.ts';
import { balanceConstraint, partnerBalances } from '../../src/db/ledger/ledger.ts';
import { salesPerDay } from '../../src/db/ledger/sales.ts';
import { parseMoney } from '../../src/domain/money.ts';
import { summedLines } from '../db/ledger/summed-lines.ts';
import { cancel, expireAll, makeVoucher, redemptions, topup } from './movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeCatalogue,
  openScene,
  type StatementJson,
  statementOf,
} from './scene.ts';

const wallets = ['gift', 'airtime', 'reserved'] as const;

let scene: AdminScene;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const step = fc.oneof(
  fc.record({ kind: fc.constant('deposit' as const), micros: fc.integer({ min: 1, max: 9e8 }) }),
  fc.record({ kind: fc.constant('airtime' as const), micros: fc.integer({ min: 1, max: 9e8 }) }),
  fc.record({ kind: fc.constant('generate' as const), units: fc.integer({ min: 1, max: 400 }) }),
  fc.record({
    kind: fc.constantFrom('cancel', 'expire', 'redeem', 'refuse' as const),
    pick: fc.nat(),
  }),
  fc.record({
    kind: fc.constant('top-up' as const),
    micros: fc.integer({ min: 1, max: 5e8 }),
    ending: fc.constantFrom('SUCCESS' as const, 'FAILED' as const, undefined),
  }),
);

test('closing and cached balance are equal after every history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (history) => {
      const catalogue = await makeCatalogue(scene);
      const { partnerId } = catalogue;
      const vouchers: number[] = [];
      for (const one of history) await play(one, catalogue, vouchers).catch(ignoreOverdraft);

      const cached = await partnerBalances(scene.database, partnerId);
      for (const wallet of wallets) {
        const statement = await statementOf(scene, partnerId, wallet);
        expect(statement.closingBalance).toBe(cached[wallet]);
        expect(statement.ledgerBalance).toBe(cached[wallet]);
        addsUp(statement);
        expect(balancesOf(statement.lines)).toEqual(
          await summedLines(scene.database, partnerId, wallet),
        );
        await splitsAnywhere(partnerId, wallet, statement);
        await isPaged(partnerId, wallet, statement);
      }
      await isSold(partnerId);
    }),
    { numRuns: 3 },
  );
});

/** Each line's balance follows from the one before it, and each line is explained. */
function addsUp(statement: StatementJson): void {
  let balance = parseMoney(statement.openingBalance);
  for (const line of statement.lines) {
    balance += parseMoney(line.credit ?? '0') - parseMoney(line.debit ?? '0');
    expect(parseMoney(line.balance)).toBe(balance);
    expect(line.explanation).not.toContain('operation');
  }
  expect(parseMoney(statement.closingBalance)).toBe(balance);
}

/** Two statements that meet at one moment say what one over both ranges says. */
async function splitsAnywhere(partnerId: number, wallet: string, whole: StatementJson) {
  const moment = whole.lines[Math.floor(whole.lines.length / 2)]?.at;
  if (moment === undefined) return;
  const before = await statementOf(scene, partnerId, wallet, ` --to ${moment}`);
  const after = await statementOf(scene, partnerId, wallet, ` --from ${moment}`);
  expect(before.openingBalance).toBe('0.000000');
  expect(after.openingBalance).toBe(before.closingBalance);
  expect([...before.lines, ...after.lines]).toEqual(whole.lines);
  expect(after.closingBalance).toBe(whole.closingBalance);
  addsUp(before);
  addsUp(after);
}

/** The pages of the portal say the same. */
async function isPaged(partnerId: number, wallet: Wallet, whole: StatementJson) {
  const moment = whole.lines[Math.floor(whole.lines.length / 3)]?.at;
  const from = moment === undefined ? undefined : new Date(moment);
  const request = { partnerId, wallet, from, before: undefined };
  const page = (offset: number) => readStatementPage(scene.database, request, { limit: 3, offset });
  const range = await statementOf(scene, partnerId, wallet, moment ? ` --from ${moment}` : '');
  const first = await page(0);
  const lines = [...first.lines];
  while (lines.length < first.lineCount) lines.push(...(await page(lines.length)).lines);
  expect(first).toMatchObject({
    openingBalance: range.openingBalance,
    closingBalance: range.closingBalance,
  });
  expect(balancesOf(lines.toReversed())).toEqual(balancesOf(range.lines));
  const { openingBalance, cameIn, wentOut, closingBalance } = first;
  expect(parseMoney(openingBalance) + parseMoney(cameIn) - parseMoney(wentOut)).toBe(
    parseMoney(closingBalance),
  );
}

const balancesOf = (lines: readonly { readonly id: number; readonly balance: string }[]) =>
  lines.map(({ id, balance }) => ({ id, balance }));

/** The sales of the days are the vouchers and the delivered top-ups that there are. */
async function isSold(partnerId: number) {
  const day = (offset: number) =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const days = await salesPerDay(scene.database, partnerId, {
    first: day(-1),
    last: day(1),
    zone: 'UTC',
  });
  const { rows } = await sql<Record<'vouchers' | 'topups', { count: number; sum: string }>>`
    select (select json_build_object('count', count(1), 'sum', coalesce(sum(amount), 0)::text)
        from vouchers where partner_id = ${partnerId}) as vouchers,
      (select json_build_object('count', count(1), 'sum', coalesce(sum(amount), 0)::text)
        from topups where partner_id = ${partnerId} and status = 'SUCCESS') as topups`.execute(
    scene.database,
  );
  const total = (amounts: string[]) => amounts.map(parseMoney).reduce((a, b) => a + b, 0n);
  const count = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
  expect(count(days.map(({ vouchers }) => vouchers))).toBe(rows[0]?.vouchers.count);
  expect(count(days.map(({ topups }) => topups))).toBe(rows[0]?.topups.count);
  expect(total(days.map(({ voucherAmount }) => voucherAmount))).toBe(
    parseMoney(rows[0]?.vouchers.sum ?? ''),
  );
  expect(total(days.map(({ topupAmount }) => topupAmount))).toBe(
    parseMoney(rows[0]?.topups.sum ?? ''),
  );
}

async function play(
  one: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
  catalogue: Catalogue,
  vouchers: number[],
): Promise<void> {
  const { database } = scene;
  const { partnerId } = catalogue;
  const redeem = redemptions(database, catalogue);
  const amountOf = (micros: number) => (micros / 1e6).toFixed(6);
  switch (one.kind) {
    case 'deposit':
    case 'airtime': {
      const amount = (one.micros / 1e6 + 0.01).toFixed(2);
      const wallet = one.kind === 'deposit' ? 'gift' : 'airtime';
      await scene.json(
        `money deposit --partner ${partnerId} --wallet ${wallet} --amount ${amount}`,
      );
      return;
    }
    case 'generate':
      vouchers.push((await makeVoucher(database, catalogue, { amount: `${one.units}.37` })).id);
      return;
    case 'top-up':
      await topup(database, partnerId, amountOf(one.micros), { ending: one.ending });
      return;
    case 'expire':
      await makeVoucher(database, catalogue, { amount: '3', validityDays: -1 });
      await expireAll(database);
      return;
    default: {
      const voucherId = vouchers[one.pick % Math.max(1, vouchers.length)];
      if (voucherId === undefined) return;
      if (one.kind === 'cancel') await cancel(database, voucherId);
      if (one.kind === 'redeem')
        await redeem.post(await redeem.hold(voucherId, '1')).catch(() => {});
      if (one.kind === 'refuse')
        await redeem.void(await redeem.hold(voucherId, '1')).catch(() => {});
    }
  }
}

function ignoreOverdraft(error: unknown): void {
  if (!violates(error, balanceConstraint)) throw error;
}
