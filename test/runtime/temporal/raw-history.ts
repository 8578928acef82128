import { Client, Connection } from '@temporalio/client';

/** What Temporal's server stores, read as anybody reads it who has no payload keys. */
export interface RawTemporal {
  /** Every text and every byte of a workflow: its history, its description and its list entry. */
  textOf(workflowId: string): Promise<string>;
  /** The ids of all workflows of a task queue. */
  workflowIds(taskQueue: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function connectRaw(address: string, namespace = 'default'): Promise<RawTemporal> {
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection, namespace });
  return {
    async textOf(workflowId) {
      const history = await workflow.getHandle(workflowId).fetchHistory();
      const description = await connection.workflowService.describeWorkflowExecution({
        namespace,
        execution: { workflowId },
      });
      return `${rawText(history)}\n${rawText(description)}`;
    },
    async workflowIds(taskQueue) {
      const ids: string[] = [];
      for await (const { workflowId } of workflow.list({ query: `TaskQueue = '${taskQueue}'` }))
        ids.push(workflowId);
      return ids;
    },
    close: () => connection.close(),
  };
}

/** The texts and bytes of a message, one below the other; numbers are left out. */
export function rawText(message: unknown): string {
  if (typeof message === 'string') return message;
  if (message instanceof Uint8Array) return Buffer.from(message).toString('latin1');
  if (message === null || typeof message !== 'object') return '';
  return Object.entries(message)
    .map(([name, value]) => `${name} ${rawText(value)}`)
    .join('\n');
}
