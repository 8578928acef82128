import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { expect } from 'vitest';
import { reconcileId } from '../../../workflows/workflow-ids.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** Stops the Schedule: only the runs of the test reconcile. */
export async function pauseReconciliation({ temporal, config }: Stack): Promise<void> {
  const schedule = temporal.client.schedule.getHandle(
    reconcileId(config.temporal.temporalTaskQueue),
  );
  await schedule.pause();
  // The pause is a message to the Schedule, which may have begun a run meanwhile.
  await until(async () => {
    const { state, info } = await schedule.describe();
    expect(state.paused).toBe(true);
    expect(info.runningActions).toEqual([]);
  });
}

/** Reconciles once: what the run says when it is red, else "in order". */
export async function reconciled({ temporal, config }: Stack): Promise<string> {
  const handle = await temporal.client.workflow.start('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: config.temporal.temporalTaskQueue,
  });
  try {
    await handle.result();
    return 'in order';
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return (error.cause as ApplicationFailure).message;
  }
}
