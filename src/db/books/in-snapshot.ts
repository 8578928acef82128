import type { Database } from '../connection.ts';

/** Runs work in one snapshot; a transaction keeps its own. */
export const inSnapshot = <Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> =>
  database.isTransaction
    ? work(database)
    : database.transaction().setIsolationLevel('repeatable read').execute(work);
