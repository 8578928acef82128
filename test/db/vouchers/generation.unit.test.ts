import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/db/connection.ts';
import { insertVouchers } from '../../../src/db/vouchers/generation.ts';
import { giftRequest } from '../gift-rows.ts';

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
  const partner = { kind: 'partner', id: 1, credential } as const;
  const generation = insertVouchers(database, [
    giftRequest({ partner, merchant: { id: 1 }, denominationId: 1 }),
  ]);
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
