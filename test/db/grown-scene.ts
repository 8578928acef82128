import { growDatabase } from '../../bench/growth/grown-database.ts';
import { connectDatabase } from '../../src/db/connection.ts';
import { createTestDatabase } from '../support/database.ts';
import { rowsReadOf } from './rows-read.ts';

/** A database with a history of so many vouchers, and how many rows are read of it. */
export async function openGrownScene(vouchers: number) {
  const testDatabase = await createTestDatabase();
  const grown = await growDatabase({
    url: testDatabase.url,
    config: {
      process: { environment: 'test', logLevel: 'silent' },
      secrets: {
        digestKey: Buffer.alloc(32, 1),
        dataKeys: [{ id: 'data-1', key: Buffer.alloc(32, 2) }],
      },
    },
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
