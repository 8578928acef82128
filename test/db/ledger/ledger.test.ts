import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import { type Database, violates } from '../../../src/db/connection.ts';
import {
  addTransfers,
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

const transfer = (options: Partial<Transfer> = {}) => transferOf(partnerId, options);

const transfersOf = (operationId: string) =>
  database
    .selectFrom('ledger_transfers')
    .select(['step', 'amount'])
    .where('operation_id', '=', operationId)
    .execute();

const giftOf = async (id: number) => (await partnerBalances(database, id)).gift;

it('is written by one prepared statement, however many transfers there are', async () => {
  const prepared = await database.connection().execute(async (connection) => {
    for (const count of [1, 2, 5])
      await connection.transaction().execute((transaction) =>
        addTransfers(
          transaction,
          Array.from({ length: count }, () => transfer()),
        ),
      );
    const { rows } = await sql`
      select from pg_prepared_statements
      where statement like ${'%insert into ledger_transfers%'}
        and statement not like ${'%pg_prepared_statements%'}`.execute(connection);
    return rows.length;
  });
  expect(prepared).toBe(1);
  expect(await giftOf(partnerId)).toBe('800.000000');
});

describe('accounts', () => {
  it('are five for a new partner, all of them empty', async () => {
    const rows = await database
      .selectFrom('ledger_accounts')
      .select(['kind', 'balance'])
      .where('partner_id', '=', partnerId)
      .orderBy('id')
      .execute();
    expect(rows).toEqual(PARTNER_KINDS.map((kind) => ({ kind, balance: '0.000000' })));
  });

  it('of the platform are one of each kind and keep no balance, whatever moves', async () => {
    await write(database, ...PLATFORM_KINDS.map((debit) => transfer({ debit, step: debit })));
    const rows = await database
      .selectFrom('ledger_accounts')
      .select(['kind', 'balance'])
      .where('partner_id', 'is', null)
      .orderBy('id')
      .execute();
    expect(rows).toEqual(PLATFORM_KINDS.map((kind) => ({ kind, balance: null })));
    expect(await giftOf(partnerId)).toBe('500.000000');
  });

  it.each([
    ['a second one of a kind', () => sql`('gift', ${partnerId}, 0)`],
    ['one of the platform that belongs to a partner', () => sql`('funding', ${partnerId}, 0)`],
    ['a platform account with a balance', () => sql`('suspense', null, 0)`],
    ['one of an unknown kind', () => sql`('pocket', ${partnerId}, 0)`],
  ])('cannot be added: %s', async (_name, values) => {
    const insert = sql`insert into ledger_accounts (kind, partner_id, balance) values ${values()}`;
    await expect(insert.execute(database)).rejects.toThrow();
  });

  it.each([
    ['raised', sql`update ledger_accounts set balance = balance + 1`],
    ['taken away', sql`update ledger_accounts set balance = null`],
    ['given to another partner', sql`update ledger_accounts set partner_id = partner_id + 1`],
  ])('cannot be edited: %s', async (_name, update) => {
    const statement = sql`${update} where partner_id = ${partnerId} and kind = 'gift'`;
    await expect(statement.execute(database)).rejects.toThrow('by transfers only');
  });
});

describe('addTransfers', () => {
  it('sums what a partner has reserved and on hold', async () => {
    await write(
      database,
      transfer({ step: 'deposit' }),
      transfer({ step: 'airtime', credit: 'airtime', amount: parseMoney('7.5') }),
      transfer({ step: 'reserve', debit: 'gift', credit: 'reserved', amount: parseMoney('60') }),
      transfer({ step: 'hold', debit: 'reserved', credit: 'gift-hold', amount: 20_000_001n }),
    );
    expect(await partnerBalances(database, partnerId)).toEqual({
      airtime: '7.500000',
      gift: '40.000000',
      reserved: '60.000000',
      low: { airtime: null, gift: null },
    });
  });

  it('refuses to overdraw, and then nothing has moved', async () => {
    const other = await addPartner(database, 'Other partner');
    await write(database, transfer());
    const operationId = randomUUID();
    const error = await rejection(
      write(
        database,
        transfer({ operationId, step: 'first', partnerId: other }),
        transfer({
          operationId,
          debit: 'gift',
          credit: 'reserved',
          amount: parseMoney('100') + 1n,
        }),
      ),
    );
    expect(violates(error, balanceConstraint)).toBe(true);
    expect(await transfersOf(operationId)).toEqual([]);
    expect(await giftOf(partnerId)).toBe('100.000000');
    expect(await giftOf(other)).toBe('0.000000');
  });

  it('lets the last unit go', async () => {
    await write(database, transfer({ amount: 1n }));
    await write(database, transfer({ debit: 'gift', credit: 'reserved', amount: 1n }));
    expect(await giftOf(partnerId)).toBe('0.000000');
  });

  it('refuses a step that its operation has made before, and nothing moves twice', async () => {
    const once = transfer({ operationId: randomUUID() });
    await write(database, once);
    const error = await rejection(write(database, transfer({ step: 'another' }), once));
    expect(violates(error, 'ledger_transfers_operation_id_step_key')).toBe(true);
    expect(await giftOf(partnerId)).toBe('100.000000');
  });

  it('leaves steps of zero out', async () => {
    const operationId = randomUUID();
    await write(
      database,
      transfer({ operationId, step: 'post' }),
      transfer({ operationId, step: 'fee', debit: 'gift', credit: 'service-fees', amount: 0n }),
    );
    expect(await transfersOf(operationId)).toEqual([{ step: 'post', amount: '100.000000' }]);
    await write(database, transfer({ amount: 0n }));
    await write(database);
  });

  it.each([
    ['below zero', { amount: -1n }],
    ['from an account to itself', { debit: 'gift', credit: 'gift' }],
    ['beyond what the column holds', { amount: 10n ** 20n }],
    ['of no partner', { partnerId: 0 }],
  ] as const)('refuses an amount %s', async (_name, options) => {
    await expect(write(database, transfer(options))).rejects.toThrow();
    expect(await giftOf(partnerId)).toBe('0.000000');
  });
});

describe('transfers', () => {
  it.each([
    ['updated', sql`update ledger_transfers set amount = amount + 1`],
    ['deleted', sql`delete from ledger_transfers`],
    ['truncated', sql`truncate ledger_transfers`],
    ['truncated with what they refer to', sql`truncate ledger_accounts cascade`],
  ])('cannot be %s', async (_name, statement) => {
    await write(database, transfer());
    await expect(statement.execute(database)).rejects.toThrow('only ever added');
    expect(await giftOf(partnerId)).toBe('100.000000');
  });
});
