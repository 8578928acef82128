import { Client, Connection } from '@temporalio/client';
import type { TemporalServer } from '../temporal/temporal-server.ts';
import { DemoError } from './demo-error.ts';

/** The Temporal server, and the range of workflows. */
interface WorkflowQuery {
  readonly server: TemporalServer;
  readonly temporalUiUrl: string;
  readonly startedSince: Date;
}

/** A workflow in the Temporal UI. */
export interface WorkflowLink {
  readonly type: string;
  readonly status: string;
  readonly url: string;
}

/** The address at which support staff find failed top-ups. */
export const failedTopUpsUrl = ({
  temporalUiUrl,
  server,
}: Pick<WorkflowQuery, 'temporalUiUrl' | 'server'>): string =>
  `${temporalUiUrl}/namespaces/${server.namespace}/workflows?query=${encodeURIComponent('Outcome="FAILED"')}`;

/**
 * The workflows that requests have started since a moment, oldest first, without sweeps.
 *
 * @throws {DemoError} when Temporal cannot be reached
 */
export async function listWorkflowLinks(query: WorkflowQuery): Promise<WorkflowLink[]> {
  const { server, temporalUiUrl, startedSince } = query;
  const { namespace } = server;
  const connection = await Connection.connect({ ...server, connectTimeout: '3s' }).catch(
    (cause) => {
      throw new DemoError(
        `Temporal cannot be reached at ${server.address}. If it needs TLS, set TEMPORAL_TLS and its ` +
          'related settings, as for the service.',
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
