import { heartbeat, log } from '@temporalio/activity';
import { endBatch, type RowStep } from '../../src/db/refused-rows.ts';
import type { RefusedRowKind } from '../../src/domain/refused-rows.ts';

/** Time limit of a step; the workflow repeats it for the rest. */
export const STEP_MS = 15_000;

/** Rows that the database refuses to end. */
export interface RefusedRows {
  readonly rows: RefusedRowKind;
  readonly ids: readonly string[];
}

/** The effect of one step of a sweep. */
export interface Swept {
  readonly count: number;
  /** False when the time limit ended the step early. */
  readonly isDone: boolean;
  readonly refused?: readonly RefusedRows[];
}

interface Batch {
  readonly count: number;
  readonly isLast: boolean;
}

/** A batch that is not full is the last one. */
export const upTo = (size: number, sweep: () => Promise<number>) => async (): Promise<Batch> => {
  const count = await sweep();
  return { count, isLast: count < size };
};

/** Runs batches until there are no more rows, or the time limit of the step. */
export async function inBatches(
  sweep: () => Promise<Batch>,
  endsAt = Date.now() + STEP_MS,
): Promise<Swept> {
  for (let total = 0; ; ) {
    const { count, isLast } = await sweep();
    total += count;
    heartbeat(total);
    if (isLast || Date.now() > endsAt) return { count: total, isDone: isLast };
  }
}

/** Ends all rows of a step in batches; a row that the database refuses is logged and left out. */
export async function endAll<Id extends string | number>(
  rows: RefusedRowKind,
  batchSize: number,
  step: RowStep<Id>,
  endsAt?: number,
): Promise<Swept> {
  const except: Id[] = [];
  const swept = await inBatches(async () => {
    const { count, refused } = await endBatch(step, except);
    for (const { id, error } of refused)
      log.error('The database refuses to end a row', { rows, id, error });
    except.push(...refused.map(({ id }) => id));
    // After a batch with refused rows there may be others.
    return { count, isLast: count < batchSize && refused.length === 0 };
  }, endsAt);
  return except.length === 0 ? swept : { ...swept, refused: [{ rows, ids: except.map(String) }] };
}

/** The effect of several steps as one. */
export function sumOf(all: readonly Swept[]): Swept {
  const refused = all.flatMap((swept) => swept.refused ?? []);
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    isDone: all.every(({ isDone }) => isDone),
    ...(refused.length === 0 ? {} : { refused }),
  };
}
