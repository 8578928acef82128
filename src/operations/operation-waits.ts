import type { Logger } from 'pino';
import type { Database } from '../db/connection.js';
import { findOperations, type StoredOperation } from '../db/operations/stored-operations.js';
import { describeError } from '../process/describe-error.js';
import { StillProcessingError } from './workflow-errors.js';

/** One query of all rows that callers of this process wait for. */
const INTERVAL_MS = 100;

interface Waiter {
  /** Undefined where the row is gone. */
  resolve(operation: StoredOperation | undefined): void;
}

export interface OperationWaits {
  /** The longest a caller waits for its answer. */
  readonly callerWaitMs: number;
  /**
   * Waits until an operation that another request has begun is settled; undefined where its row is
   * gone, because it was refused and forgotten.
   *
   * @throws StillProcessingError when it runs at the deadline
   */
  untilSettled(operationId: string, deadline: number): Promise<StoredOperation | undefined>;
}

/**
 * Lets repetitions wait for the row of the operation instead of its workflow, which takes only so many
 * updates: however many callers wait, a process asks the database once in every interval.
 */
export function createOperationWaits(options: {
  readonly database: Database;
  readonly logger: Logger;
  readonly callerWaitMs: number;
}): OperationWaits {
  const { database, logger, callerWaitMs } = options;
  const waiting = new Map<string, Set<Waiter>>();
  let isAsking = false;

  async function untilSettled(operationId: string, deadline: number) {
    const waiters = waiting.get(operationId) ?? new Set();
    waiting.set(operationId, waiters);
    let timer: NodeJS.Timeout | undefined;
    let waiter: Waiter | undefined;
    try {
      return await new Promise<StoredOperation | undefined>((resolve, reject) => {
        const timeIsUp = () => reject(new StillProcessingError('The operation still runs'));
        timer = setTimeout(timeIsUp, deadline - Date.now());
        waiter = { resolve };
        waiters.add(waiter);
        ask();
      });
    } finally {
      clearTimeout(timer);
      if (waiter) waiters.delete(waiter);
      if (waiters.size === 0) waiting.delete(operationId);
    }
  }

  /** Asks in turns, never twice at once, for as long as somebody waits. */
  function ask(): void {
    if (isAsking) return;
    isAsking = true;
    setTimeout(async () => {
      try {
        await answer();
      } catch (error) {
        logger.warn(describeError(error), 'Operations that callers wait for could not be read');
      }
      isAsking = false;
      if (waiting.size > 0) ask();
    }, INTERVAL_MS);
  }

  async function answer(): Promise<void> {
    const ids = [...waiting.keys()];
    if (ids.length === 0) return;
    const found = await findOperations(database, ids);
    for (const id of ids) {
      const operation = found.get(id);
      if (operation?.status === 'RUNNING') continue;
      for (const waiter of waiting.get(id) ?? []) waiter.resolve(operation);
    }
  }

  return { callerWaitMs, untilSettled };
}
