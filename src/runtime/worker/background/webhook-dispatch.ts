import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { webhookDue } from '../../../../workflows/contracts.ts';
import type { deliverWebhooks } from '../../../../workflows/deliver-webhooks.ts';
import { deliverWebhooksId } from '../../../../workflows/workflow-ids.ts';
import type { Database } from '../../../db/connection.ts';
import {
  type DueEndpoint,
  dispatchEvents,
  listDueEndpoints,
  readDispatchState,
  takeWake,
} from '../../../db/webhooks/deliveries.ts';
import { namesOfCompany, startOf } from '../../temporal/workflow-starts.ts';
import { type Repetition, repeat } from './repeat.ts';

const BATCH_SIZE = 100;
/** The client itself has no time limit. */
const SIGNAL_LIMIT_MS = 5_000;
/** Time after which a webhook is woken again whose workflow gave no sign. */
const WATCH_SECONDS = 60;

/**
 * Makes deliveries of new events, and starts or signals the workflows of their webhooks. The demand
 * to wake a workflow is a column, written together with the event to deliver. A worker that dies in
 * between, and a Temporal server that has lost the workflow, only delay the delivery. Any number of
 * workers may poll.
 */
export function startWebhookDispatch(options: {
  readonly database: Database;
  readonly isFenced: () => boolean;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly retrySeconds: number;
  readonly intervalMs: number;
}): Repetition {
  const { database, isFenced, client, logger, taskQueue, retrySeconds, intervalMs } = options;
  let dispatched: number | null = null;

  async function dispatch(): Promise<void> {
    const { newest, isSomebodyDue } = await readDispatchState(database);
    if (newest === dispatched && !isSomebodyDue) return;
    let mayBeMore: boolean | undefined;
    do mayBeMore = await dispatchEvents(database, retrySeconds);
    while (mayBeMore);
    // Undefined: another worker does it, and may not have seen the newest.
    if (mayBeMore === false) dispatched = newest;
    for (const endpoint of await listDueEndpoints(database, BATCH_SIZE))
      if (await takeWake(database, endpoint, WATCH_SECONDS)) await wake(endpoint);
  }

  function wake({ id, company }: DueEndpoint): Promise<unknown> {
    const { workflow, options: start } = startOf<typeof deliverWebhooks>('deliverWebhooks', {
      operation: 'deliver-webhooks',
      workflowId: deliverWebhooksId(id, taskQueue),
      args: [{ endpointId: id }],
      names: namesOfCompany(company),
      summary: `Webhook ${id} of ${company.kind} ${company.id}`,
    });
    const signalled = { ...start, taskQueue, signal: webhookDue, signalArgs: [] as [] };
    return client.withDeadline(Date.now() + SIGNAL_LIMIT_MS, () =>
      client.workflow.signalWithStart<typeof deliverWebhooks, []>(workflow, signalled),
    );
  }

  const failure = 'Could not dispatch webhooks';
  return repeat({ work: dispatch, isFenced, intervalMs, logger, failure });
}
