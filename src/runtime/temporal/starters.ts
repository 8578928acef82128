import type { Client } from '@temporalio/client';
import type { CaseStarter } from '../../../activities/workflow-starters.ts';
import type { CaseName } from '../../../workflows/contracts.ts';
import type { followCase } from '../../../workflows/follow-case.ts';
import type { generateBulk } from '../../../workflows/generate-bulk.ts';
import { caseId, generateBulkId } from '../../../workflows/workflow-ids.ts';
import {
  type StartNames,
  searchAttributesOf,
  startUnlessRunning,
  WORKFLOW_TASK_TIMEOUT,
} from './workflow-starts.ts';

/** Starts the workflow of a recorded bulk order; false where it runs. */
export const startBulkOrder = (
  { client, taskQueue }: { readonly client: Client; readonly taskQueue: string },
  order: { readonly id: number; readonly operationId: string; readonly partnerId: number },
): Promise<boolean> =>
  startUnlessRunning(() =>
    client.workflow.start<typeof generateBulk>('generateBulk', {
      ...searchAttributesOf('generate-bulk', { partnerId: order.partnerId }),
      workflowId: generateBulkId(order.id, order.operationId),
      args: [{ bulkOrderId: order.id }],
      taskQueue,
      workflowIdConflictPolicy: 'FAIL',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      staticSummary: `Bulk order ${order.id}`,
    }),
  );

/** Starts the workflows of cases for activities. */
export function createCaseStarter(options: {
  readonly client: Client;
  readonly taskQueue: string;
  /** Interval at which a case checks whether it is settled. */
  readonly intervalMs: number;
}): CaseStarter {
  const { client, taskQueue, intervalMs } = options;

  const start = (name: CaseName, summary: string, names: StartNames): Promise<boolean> =>
    startUnlessRunning(() =>
      client.workflow.start<typeof followCase>('followCase', {
        workflowId: caseId(name, taskQueue),
        taskQueue,
        args: [{ name, intervalMs }],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: summary,
        ...searchAttributesOf('case', names),
      }),
    );

  return { start };
}
