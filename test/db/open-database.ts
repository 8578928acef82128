import { connectDatabase, type Database } from '../../src/db/connection.ts';
import { findBrokenInvariants } from '../support/broken-invariants.ts';
import { createTestDatabase } from '../support/database.ts';

export interface OpenDatabase {
  readonly database: Database;
  readonly url: string;
  /** Checks the invariants, but for those with an ignored id, and drops the database. */
  close(ignored?: readonly string[]): Promise<void>;
}

/** A migrated, empty database of a test file's own; by default its pool takes parallel writers. */
export async function openDatabase(poolSize = 10): Promise<OpenDatabase> {
  const testDatabase = await createTestDatabase();
  const database = connectDatabase(testDatabase.url, { poolSize });
  return {
    database,
    url: testDatabase.url,
    async close(ignored = []) {
      const found = await findBrokenInvariants(database);
      const broken = found.filter((line) => !ignored.some((id) => line.startsWith(`${id} `)));
      await database.destroy();
      await testDatabase.drop();
      if (broken.length > 0) throw new Error(`Broken invariants:\n${broken.join('\n')}`);
    },
  };
}
