import { LRUCache } from 'lru-cache';
import type { HintWithinLimit } from '../http/services.ts';
import {
  foundNobody,
  WorkflowsUnavailableError,
} from '../operations/workflow-client/workflow-errors.ts';

const HINTS_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const MAXIMUM_SUBJECTS = 20_000;

/**
 * Limits the callbacks of a subject that reach its workflow: they are not signed, and each one adds
 * to the workflow's history. A dropped callback costs nothing, since the workflow polls the
 * provider. One that reached nobody does not count: its sender repeats it.
 * rate-limiter-flexible does not fit: its memory store has a timer per subject and no bound.
 */
export function createCallbackLimit(): HintWithinLimit {
  const hints = new LRUCache<string, { count: number }>({ max: MAXIMUM_SUBJECTS, ttl: HOUR_MS });
  return async (subject, hint) => {
    const counted = hints.get(subject) ?? { count: 0 };
    if (counted.count >= HINTS_PER_HOUR) return undefined;
    if (counted.count === 0) hints.set(subject, counted);
    // Before it is given, so that those that come at the same moment count.
    counted.count += 1;
    try {
      return await hint();
    } catch (error) {
      if (!mayHaveArrived(error)) counted.count -= 1;
      throw error;
    }
  };
}

const mayHaveArrived = (error: unknown): boolean =>
  error instanceof WorkflowsUnavailableError && !error.isCertain && !foundNobody(error);
