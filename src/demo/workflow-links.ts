import { Client, Connection } from '@temporalio/client';
import type { TemporalServer } from '../temporal/temporal-server.js';
import { DemoError } from './demo-error.js';

/** Where Temporal is, and which workflows are meant. */
interface WorkflowQuery {
  readonly server: TemporalServer;
  readonly temporalUiUrl: string;
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
  server,
}: Pick<WorkflowQuery, 'temporalUiUrl' | 'server'>): string =>
  `${temporalUiUrl}/namespaces/${server.namespace}/workflows?query=${encodeURIComponent('Outcome="FAILED"')}`;

/**
 * The workflows that requests have started since a moment, oldest first; sweeps are left out.
 *
 * @throws {DemoError} when Temporal does not answer
 */
export async function listWorkflowLinks(query: WorkflowQuery): Promise<WorkflowLink[]> {
  const { server, temporalUiUrl, startedSince } = query;
  const { namespace } = server;
  const connection = await Connection.connect({ ...server, connectTimeout: '3s' }).catch(
    (cause) => {
      throw new DemoError(
        `Temporal does not answer at ${server.address}. Where it wants TLS, set TEMPORAL_TLS and what ` +
          'belongs to it, as for the service.',
        { cause },
      );
    },
  );
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
