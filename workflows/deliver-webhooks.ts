import {
  CancellationScope,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { webhooksOn } from './activity-options.ts';
import { type DeliverWebhooksInput, webhookDue } from './contracts.ts';
import { showDetails, untilWhen } from './current-details.ts';
import { webhookTaskQueue } from './workflow-ids.ts';

type Round = Awaited<ReturnType<Activities['deliverDue']>>;

/** Events of a history after which the workflow continues as new. */
const MAXIMUM_HISTORY = 2_000;

/** The end of deliveries, for the Temporal UI. */
interface DeliverWebhooksResult {
  readonly ended: 'nothing-due' | 'not-active';
}

/**
 * Delivers the events of a company to one address until none waits. There is one such workflow, and one
 * activity of it, at a time for each address, so that nothing overtakes and a slow receiver delays only
 * itself. PostgreSQL holds the deliveries; a signal tells of new ones. A cancellation in the UI changes
 * nothing: pause the webhook instead.
 */
export function deliverWebhooks(input: DeliverWebhooksInput): Promise<DeliverWebhooksResult> {
  return CancellationScope.nonCancellable(() => deliver(input));
}

async function deliver({ endpointId }: DeliverWebhooksInput): Promise<DeliverWebhooksResult> {
  const { deliverDue } = webhooksOn(webhookTaskQueue(workflowInfo().taskQueue));
  let isWoken = false;
  setHandler(
    webhookDue,
    () => {
      isWoken = true;
    },
    { description: 'Looks at once for deliveries that are due. Needs no input.' },
  );
  for (;;) {
    isWoken = false;
    const round = await deliverDue(endpointId);
    showRound(endpointId, round);
    if (round.state !== 'active') {
      // It may have been resumed since that was read.
      if (isWoken) continue;
      return { ended: 'not-active' };
    }
    if (round.remainingMs === null && !isWoken) return { ended: 'nothing-due' };
    if (round.remainingMs !== null && round.remainingMs > 0)
      await condition(() => isWoken, round.remainingMs, { summary: 'Until the next attempt' });
    if (workflowInfo().historyLength > MAXIMUM_HISTORY)
      await continueAsNew<typeof deliverWebhooks>({ endpointId });
  }
}

function showRound(endpointId: number, { state, host, problem, remainingMs }: Round): void {
  if (state === 'inactive') {
    showDetails(`**Stopped**: webhook ${endpointId} is paused or removed.`);
    return;
  }
  if (state === 'switched-off') {
    showDetails(
      `**Switched off**: webhook ${endpointId} (${host}) has failed for too long without a success.`,
      'The company is told by e-mail, and resumes it in the portal. Nothing is to be done here.',
    );
    return;
  }
  const next =
    remainingMs === null
      ? 'Everything is delivered or given up.'
      : `The next attempt is due at ${untilWhen(remainingMs)}.`;
  showDetails(
    `**Delivering** to webhook ${endpointId} (${host}). ${next}`,
    ...(problem === null ? [] : [`The last failed attempt: ${problem}`]),
  );
}
