import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import type { Stack } from '../../support/stack.ts';

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
