import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violates } from '../../src/db/connection.js';
import { balanceConstraint, partnerBalances } from '../../src/db/ledger.js';
import { parseMoney } from '../../src/domain/money.js';
import { expireAll, makeVoucher, redemptions, topUp } from './movements.js';
import {
  type Catalogue,
  makeCatalogue,
  openScene,
  type Scene,
  type StatementJson,
  statementOf,
} from './scene.js';

const wallets = ['gift', 'airtime', 'reserved'] as const;

let scene: Scene;

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
        await splitsAnywhere(partnerId, wallet, statement);
      }
    }),
    { numRuns: 12 },
  );
}, 120_000);

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
      await scene.json(`deposit --partner ${partnerId} --wallet ${wallet} --amount ${amount}`);
      return;
    }
    case 'generate':
      vouchers.push((await makeVoucher(database, catalogue, { amount: `${one.units}.37` })).id);
      return;
    case 'top-up':
      await topUp(database, partnerId, amountOf(one.micros), { ending: one.ending });
      return;
    case 'expire':
      await makeVoucher(database, catalogue, { amount: '3', validityDays: -1 });
      await expireAll(database);
      return;
    default: {
      const voucherId = vouchers[one.pick % Math.max(1, vouchers.length)];
      if (voucherId === undefined) return;
      if (one.kind === 'cancel') await scene.admin(`cancel voucher ${voucherId}`);
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
