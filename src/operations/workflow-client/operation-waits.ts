import type { Logger } from 'pino';
import type { Database } from '../../db/connection.ts';
import { findOperations, type StoredOperation } from '../../db/operations.ts';
import { describeError } from '../../runtime/process/logger.ts';
import { StillProcessingError } from './workflow-errors.ts';

/** Interval of the one query for all rows that callers of this process wait for. */
const INTERVAL_MS = 100;

interface Waiter {
  /** Undefined where the row is gone. */
  resolve(operation: StoredOperation | undefined): void;
}

export interface OperationWaits {
  /** The longest wait of a caller for its answer. */
  readonly callerWaitMs: number;
  /**
   * Waits until an operation of another request is settled; undefined where its row is gone,
   * because it was refused and deleted.
   *
   * @throws StillProcessingError when it is still running at the deadline
   */
  untilSettled(operationId: string, deadline: number): Promise<StoredOperation | undefined>;
}

/**
 * Repetitions wait for the row of the operation instead of its workflow, because a workflow accepts
 * a limited number of updates. A process sends one query per interval for any number of waiting
 * callers.
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

  /** Polls while there are waiting callers, one query at a time. */
  function ask(): void {
    if (isAsking) return;
    isAsking = true;
    setTimeout(async () => {
      try {
        await answer();
      } catch (error) {
        logger.warn(describeError(error), 'Could not read the operations that callers wait for');
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
