import { Client, Connection } from '@temporalio/client';
import { DemoError } from './demo-error.js';

/** Where Temporal is, and which workflows are meant. */
interface WorkflowQuery {
  readonly temporalAddress: string;
  readonly temporalUiUrl: string;
  readonly namespace: string;
  readonly startedSince: Date;
}

/** A workflow as it is found in the Temporal UI. */
export interface WorkflowLink {
  readonly type: string;
  readonly status: string;
  readonly url: string;
}

/** Where support staff find the top-ups that have failed. */
export const failedTopUpsUrl = ({
  temporalUiUrl,
  namespace,
}: Pick<WorkflowQuery, 'temporalUiUrl' | 'namespace'>): string =>
  `${temporalUiUrl}/namespaces/${namespace}/workflows?query=${encodeURIComponent('Outcome="FAILED"')}`;

/**
 * The workflows that requests have started since a moment, oldest first; sweeps are left out.
 *
 * @throws {DemoError} when Temporal does not answer
 */
export async function listWorkflowLinks(query: WorkflowQuery): Promise<WorkflowLink[]> {
  const { temporalAddress: address, temporalUiUrl, namespace, startedSince } = query;
  const connection = await Connection.connect({ address, connectTimeout: '3s' }).catch((cause) => {
    throw new DemoError(`Temporal does not answer at ${address}.`, { cause });
  });
  try {
    const client = new Client({ connection, namespace });
    const links: (WorkflowLink & { readonly startTime: Date })[] = [];
    for await (const { type, status, workflowId, runId, startTime } of client.workflow.list({
      query: `StartTime >= '${startedSince.toISOString()}' AND WorkflowType != 'expireVouchers'`,
    })) {
      const url = `${temporalUiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}`;
      links.push({ type, status: status.name, url, startTime });
    }
    return links.sort((one, other) => one.startTime.getTime() - other.startTime.getTime());
  } finally {
    await connection.close();
  }
}
