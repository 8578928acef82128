import { sql } from 'kysely';
import { type Database, isDefiniteDatabaseError } from '../src/db/connection.js';
import type { Reason } from '../src/domain/errors.js';

/** A step of a transaction that cannot succeed; thrown, so that the transaction is rolled back. */
export class DatabaseStepError extends Error {
  override readonly name = 'DatabaseStepError';

  constructor(
    readonly reason: Reason,
    cause?: unknown,
  ) {
    super(`A step of a transaction failed: ${reason}`, { cause });
  }
}

/**
 * Runs one step of a transaction and gives a definite error of the database the reason that the
 * specification has for it (5002, 5003, 5004, 4093–4095). Faults that may pass are thrown on as
 * they are: the workflow repeats the whole transaction.
 */
export async function runStep<Result>(
  reason: Reason,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (isDefiniteDatabaseError(error)) throw new DatabaseStepError(reason, error);
    throw error;
  }
}

/** Runs what reads so much that the time limit of statements would end it, on one connection. */
export const runUnhurried = <Result>(
  database: Database,
  work: (database: Database) => Promise<Result>,
): Promise<Result> =>
  database.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
