import type { Client } from '@temporalio/client';
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
import { type Background, type Repetition, repeat } from './repeat.ts';

const BATCH_SIZE = 100;
/** Of one call, because the client has no limit. */
const SIGNAL_LIMIT_MS = 5_000;
/** A webhook is woken again if its workflow gives no sign for this time. */
const WATCH_SECONDS = 60;

/**
 * Adds a delivery for each new event and webhook, and starts or signals the workflows of these webhooks. The statement
 * that adds deliveries also writes the demand to wake a workflow (`wake_at`). A worker that dies between these steps, or
 * a Temporal server that lost the workflow, only delays a delivery. Any number of workers may poll; one at a time adds.
 */
export function startWebhookDispatch(
  options: Background & {
    readonly database: Database;
    readonly client: Client;
    readonly taskQueue: string;
    readonly retrySeconds: number;
  },
): Repetition {
  const { database, client, taskQueue, retrySeconds } = options;
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

  return repeat({ ...options, work: dispatch, failure: 'Could not dispatch webhooks' });
}
