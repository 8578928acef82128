import { Client, Connection } from '@temporalio/client';
import type { ThrowawayStack } from '../throwaway-stack.js';

const OF_MONEY = "WorkflowType in ('generateVoucher', 'redeemVoucher', 'topUp')";

/** Workflows that ended in another way than by a result: a person would have to look at them. */
const RED = "ExecutionStatus in ('Failed', 'Terminated', 'TimedOut', 'Canceled')";

/** The ids of the workflows that still run, and of the red ones (I8). */
export async function findWorkflows({
  config,
}: Pick<ThrowawayStack, 'config'>): Promise<{ running: string[]; red: string[] }> {
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS });
  try {
    const { workflow } = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
    const list = async (query: string) => {
      const ids: string[] = [];
      for await (const { workflowId, startTime } of workflow.list({ query }))
        ids.push(`${workflowId}, started at ${startTime.toISOString()}`);
      return ids;
    };
    return {
      running: await list(`${OF_MONEY} and ExecutionStatus = 'Running'`),
      red: await list(RED),
    };
  } finally {
    await connection.close();
  }
}
