import type { Client } from '@temporalio/client';
import type { generateBulk } from '../../workflows/generate-bulk.ts';
import { generateBulkId } from '../../workflows/workflow-ids.ts';
import { startUnlessRunning } from './unless-running.ts';
import { searchAttributesOf, WORKFLOW_TASK_TIMEOUT } from './workflow-starts.ts';

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
