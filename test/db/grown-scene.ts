import { growDatabase } from '../../bench/growth/grown-database.js';
import { createDigests } from '../../src/crypto/digests.js';
import { connectDatabase } from '../../src/db/connection.js';
import { createTestDatabase } from '../support/database.js';
import { rowsReadOf } from './rows-read.js';

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
