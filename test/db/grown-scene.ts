import { growDatabase } from '../../bench/growth/grown-database.ts';
import { createDigests } from '../../src/crypto/digests.ts';
import { connectDatabase } from '../../src/db/connection.ts';
import { createTestDatabase } from '../support/database.ts';
import { rowsReadOf } from './rows-read.ts';

/** A database with a history of so many vouchers, and how many rows are read of it. */
export async function openGrownScene(vouchers: number) {
  const testDatabase = await createTestDatabase();
  const grown = await growDatabase({
    url: testDatabase.url,
    config: { ENVIRONMENT: 'test' },
    digests: createDigests(Buffer.alloc(32, 1)),
    vouchers,
    signal: new AbortController().signal,
    note: () => {},
  });
  const database = connectDatabase(testDatabase.url, { poolSize: 1 });
  return {
    url: testDatabase.url,
    database,
    grown,
    rowsRead: rowsReadOf(database),
    async close() {
      await database.destroy();
      await testDatabase.drop();
    },
  };
}
