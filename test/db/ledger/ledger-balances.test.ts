import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import { type Database, violates } from '../../../src/db/connection.ts';
import {
  balanceConstraint,
  partnerBalances,
  type Transfer,
} from '../../../src/db/ledger/ledger.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { PARTNER_KINDS, PLATFORM_KINDS, rejection, transferOf, write } from '../ledger-writing.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

let open: OpenDatabase;
let database: Database;
let partnerId: number;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
// What is reserved here belongs to no voucher.
afterAll(() => open?.close(['I4', 'B']));
beforeEach(async () => {
  partnerId = await addPartner(database, 'Partner');
});

interface Move {
  readonly partner: number;
  readonly debit: Transfer['debit'];
  readonly credit: Transfer['credit'];
  readonly amount: bigint;
}

/** The transfers of one statement. */
const randomBatch = (partners: number): fc.Arbitrary<Move[]> =>
  fc.array(
    fc
      .record({
        partner: fc.nat(partners - 1),
        debit: fc.constantFrom(...PARTNER_KINDS, ...PLATFORM_KINDS),
        credit: fc.constantFrom(...PARTNER_KINDS, ...PLATFORM_KINDS),
        amount: fc.bigInt({ min: 0n, max: 50_000_000n }),
      })
      .filter(({ debit, credit }) => debit !== credit),
    { minLength: 1, maxLength: 4 },
  );

/** The plain model: balances by partner and kind, changed as a whole or not at all. */
function applyToModel(balances: Map<string, bigint>, batch: readonly Move[]): boolean {
  const changed = new Map(balances);
  const add = (partner: number, kind: string, amount: bigint) => {
    if (!PARTNER_KINDS.some((known) => known === kind)) return;
    const key = `${partner} ${kind}`;
    changed.set(key, (changed.get(key) ?? 0n) + amount);
  };
  for (const { partner, debit, credit, amount } of batch) {
    add(partner, debit, -amount);
    add(partner, credit, amount);
  }
  if ([...changed.values()].some((balance) => balance < 0n)) return false;
  for (const [key, balance] of changed) balances.set(key, balance);
  return true;
}

async function cachedBalances(ids: readonly number[]): Promise<Map<string, bigint>> {
  const rows = await database
    .selectFrom('ledger_accounts')
    .select(['partner_id', 'kind', 'balance'])
    .where('partner_id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ partner_id, kind, balance }) => [
      `${ids.indexOf(partner_id ?? 0)} ${kind}`,
      parseMoney(balance ?? ''),
    ]),
  );
}

describe('balances', () => {
  it('are those of a plain model, whatever moves', async () => {
    const partners = 3;
    const seen = new Set<boolean>();
    const property = fc.asyncProperty(
      fc.array(randomBatch(partners), { minLength: 1, maxLength: 12 }),
      async (batches) => {
        const ids = await Promise.all(
          Array.from({ length: partners }, () => addPartner(database, 'Partner of a property')),
        );
        const model = await cachedBalances(ids);
        for (const batch of batches) {
          const isPossible = applyToModel(model, batch);
          const operationId = randomUUID();
          const error = await rejection(
            write(
              database,
              ...batch.map(({ partner, ...move }, index) => ({
                ...move,
                operationId,
                step: `${index}`,
                partnerId: ids[partner] ?? 0,
              })),
            ),
          );
          if (isPossible) expect(error).toBeUndefined();
          else expect(violates(error, balanceConstraint)).toBe(true);
          seen.add(isPossible);
          expect(await cachedBalances(ids)).toEqual(model);
        }
      },
    );
    await fc.assert(property, { numRuns: 40 });
    expect(seen).toEqual(new Set([true, false]));
  });

  it('stay right when writers cross each other', async () => {
    const other = await addPartner(database, 'Other partner');
    const ids = [partnerId, other];
    await write(
      database,
      ...ids.map((id) => transferOf(id, { step: `gift ${id}` })),
      ...ids.map((id) => transferOf(id, { step: `airtime ${id}`, credit: 'airtime' })),
    );
    const before = await cachedBalances(ids);
    const there = { debit: 'gift', credit: 'airtime', amount: 1n } as const;
    const back = { debit: 'airtime', credit: 'gift', amount: 1n } as const;
    const writer = async (kinds: typeof there | typeof back, order: readonly number[]) => {
      for (let turn = 0; turn < 25; turn += 1)
        await write(database, ...order.map((id) => transferOf(id, { ...kinds, step: `${id}` })));
    };
    await Promise.all([
      ...[there, back, there, back].map((kinds) => writer(kinds, ids)),
      ...[there, back, there, back].map((kinds) => writer(kinds, ids.toReversed())),
    ]);
    expect(await cachedBalances(ids)).toEqual(before);
  });

  it('let parallel debits take what is there and no more', async () => {
    await write(database, transferOf(partnerId));
    const debit = () =>
      transferOf(partnerId, { debit: 'gift', credit: 'reserved', amount: parseMoney('15') });
    const errors = await Promise.all(
      Array.from({ length: 20 }, () => rejection(write(database, debit()))),
    );
    const refused = errors.filter((error) => error !== undefined);
    expect(refused).toHaveLength(14);
    expect(refused.every((error) => violates(error, balanceConstraint))).toBe(true);
    const balances = await partnerBalances(database, partnerId);
    expect(balances).toMatchObject({ gift: '10.000000', reserved: '90.000000' });
  });
});
