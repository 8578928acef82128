import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/db/connection.ts';
import { insertVoucher } from '../../../src/db/vouchers/generation.ts';

/** The statements of a generation, for a caller with and without a daily limit. */
async function statementsOf(isLimited: boolean): Promise<string[]> {
  const statements: string[] = [];
  const database: Database = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      statements.push(query.sql);
    },
  });
  const credential = { apiKeyId: 1, tokenVersion: 1, ...(isLimited ? { isLimited } : {}) };
  const generation = insertVoucher(database, {
    operationId: 'a',
    requestId: 'b',
    requestDigest: 'c',
    partner: { kind: 'partner', id: 1, credential: credential as { apiKeyId: 1; tokenVersion: 1 } },
    merchant: { id: 1 },
    denominationId: 1,
    serialNumber: '1',
    codeDigest: Buffer.from('d'),
    codeCiphertext: 'e',
    owner: null,
    numberCount: undefined,
    isRestricted: true,
    validityDays: 1,
    exchangeRate: null,
    currency: null,
    originatingCountry: null,
    foreignCurrencyAmount: null,
  });
  // The driver has no rows to answer.
  await expect(generation).rejects.toThrow('no gift wallet');
  return statements;
}

test('who has no daily limit pays nothing for it', async () => {
  const [statement = '', ...more] = await statementsOf(false);
  expect(more).toEqual([]);
  expect(statement).not.toMatch(/daily|spent|payment|counted/);
});

test('who has one pays within the same statement', async () => {
  const [statement = '', ...more] = await statementsOf(true);
  expect(more).toEqual([]);
  expect(statement).toContain('insert into daily_spending');
});
