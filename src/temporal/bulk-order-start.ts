import type { Client } from '@temporalio/client';
import type { generateBulk } from '../../workflows/generate-bulk.js';
import { generateBulkId } from '../../workflows/workflow-ids.js';
import { startUnlessRunning } from './unless-running.js';
import { WORKFLOW_TASK_TIMEOUT } from './workflow-starts.js';

/** Starts the workflow of a recorded bulk order; false where it runs. */
export const startBulkOrder = (
  { client, taskQueue }: { readonly client: Client; readonly taskQueue: string },
  order: { readonly id: number; readonly operationId: string },
): Promise<boolean> =>
  startUnlessRunning(() =>
    client.workflow.start<typeof generateBulk>('generateBulk', {
      workflowId: generateBulkId(order.id, order.operationId),
      args: [{ bulkOrderId: order.id }],
      taskQueue,
      workflowIdConflictPolicy: 'FAIL',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      staticSummary: `Bulk order ${order.id}`,
    }),
  );
