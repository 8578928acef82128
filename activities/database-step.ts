import { log } from '@temporalio/activity';
import { type Database, isDefiniteDatabaseError } from '../src/db/connection.ts';
import { isBegun, type OperationIdentity, outcomeFor } from '../src/db/operations.ts';
import {
  type OperationOutcome,
  type Reason,
  type Refusal,
  refuse,
} from '../src/domain/refusals.ts';

/** A failed step of a transaction; thrown to roll the transaction back. */
export class DatabaseStepError extends Error {
  override readonly name = 'DatabaseStepError';

  readonly reason: Reason;

  constructor(reason: Reason, cause?: unknown) {
    super(`A step of a transaction failed: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** A refusal after the first write; thrown to roll the transaction back. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`Refused: ${refusal.reason}`);
    this.refusal = refusal;
  }
}

/**
 * Runs one step of a transaction, and maps a definite failure of the database to its reason in the
 * specification (5002, 5003, 4093–4095). Transient faults are rethrown: the workflow repeats the
 * whole transaction.
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

/** Runs a step that changes a row; a row that it may not change fails it, too. */
export const runChange = (reason: Reason, change: () => Promise<boolean>): Promise<void> =>
  runStep(reason, async () => {
    if (!(await change())) throw new DatabaseStepError(reason);
  });

/**
 * The outcome of an operation after a definite failure of the database, of one of its steps or of
 * anything else including the commit (5004): its refusal. Rethrows transient faults, and every error when an
 * earlier attempt committed or its commit is unknown, so that the workflow retries.
 */
export async function outcomeAfter<Result>(
  database: Database,
  identity: OperationIdentity,
  error: unknown,
): Promise<OperationOutcome<Result>> {
  if (error instanceof RefusedError) return outcomeFor<Result>(identity, error.refusal);
  const refusal = definiteRefusal(error);
  if (await isBegun(database, identity)) throw error;
  return outcomeFor<Result>(identity, refusal);
}

/** The refusal where the caller knows that no earlier attempt has committed. */
export function definiteRefusal(error: unknown): Refusal {
  const isStep = error instanceof DatabaseStepError;
  if (!isStep && !isDefiniteDatabaseError(error)) throw error;
  const reason = isStep ? error.reason : 'database-failed';
  log.error('The database refused a transaction', { reason, error });
  return refuse(reason);
}
