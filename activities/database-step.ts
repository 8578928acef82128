import { log } from '@temporalio/activity';
import { sql } from 'kysely';
import { type Database, isDefiniteDatabaseError } from '../src/db/connection.js';
import { isBegun, type OperationIdentity } from '../src/db/operations/operations.js';
import { type Reason, type Refusal, refuse } from '../src/domain/errors.js';

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

/** A refusal that comes when something is written already; thrown, so that nothing of it stays. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(readonly refusal: Refusal) {
    super(`Refused: ${refusal.reason}`);
  }
}

/**
 * Runs one step of a transaction and gives a definite error of the database the reason that the
 * specification has for it (5002, 5003, 4093–4095). Faults that may pass are thrown on as
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

/**
 * The refusal for an operation of which nothing stays because the database said no: to one of its
 * steps, or to anything else, its commit included (5004). Thrown on, so that the workflow tries again,
 * is what may pass, and any error when an earlier try got as far as its commit or nobody can say.
 */
export async function refusalOf(
  database: Database,
  identity: OperationIdentity,
  error: unknown,
): Promise<Refusal> {
  if (error instanceof RefusedError) return error.refusal;
  const refusal = definiteRefusal(error);
  if (await isBegun(database, identity)) throw error;
  return refusal;
}

/** The same where the caller knows whether an earlier try has left something. */
export function definiteRefusal(error: unknown): Refusal {
  const isStep = error instanceof DatabaseStepError;
  if (!isStep && !isDefiniteDatabaseError(error)) throw error;
  const reason = isStep ? error.reason : 'database-failed';
  log.error('The database refused a transaction', { reason, error });
  return refuse(reason);
}

/**
 * Runs what reads so much that the usual time limit of statements would end it, on one connection.
 * Its own limit is below the activity's: the database does not go on for somebody who has left.
 */
export const runUnhurried = <Result>(
  database: Database,
  statementTimeoutMs: number,
  work: (database: Database) => Promise<Result>,
): Promise<Result> =>
  database.connection().execute(async (connection) => {
    await sql`set statement_timeout = ${sql.lit(statementTimeoutMs)}`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
