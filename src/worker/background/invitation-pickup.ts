import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { inviteMerchant } from '../../../workflows/invite-merchant.js';
import { inviteMerchantId } from '../../../workflows/workflow-ids.js';
import type { Database } from '../../db/connection.js';
import { invitationsToTakeUp } from '../../db/portal/invitations.js';
import { startUnlessRunning } from '../../temporal/unless-running.js';
import { WORKFLOW_TASK_TIMEOUT } from '../../temporal/workflow-starts.js';
import { type Repetition, repeat } from './repeat.js';

const BATCH_SIZE = 100;
/** The client itself has no time limit. */
const START_LIMIT_MS = 5_000;

/**
 * Starts the workflows of invitations that operators have written. Their command needs only the
 * database, so invitations wait there while Temporal is unavailable. Any number of workers may
 * poll, since an invitation has one workflow. A Schedule would leave a run in Temporal every few
 * seconds.
 */
export function createInvitationPickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly lifetimeMs: number;
  readonly intervalMs: number;
}): Repetition {
  const { database, client, logger, taskQueue, lifetimeMs, intervalMs } = options;

  async function takeUp(): Promise<void> {
    for (const { id, merchantId } of await invitationsToTakeUp(database, BATCH_SIZE))
      await start(id, merchantId);
  }

  const start = (invitationId: string, merchantId: number): Promise<boolean> =>
    startUnlessRunning(() =>
      client.withDeadline(Date.now() + START_LIMIT_MS, () =>
        client.workflow.start<typeof inviteMerchant>('inviteMerchant', {
          workflowId: inviteMerchantId(invitationId),
          taskQueue,
          args: [{ invitationId, merchantId, lifetimeMs }],
          workflowIdConflictPolicy: 'FAIL',
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
          staticSummary: `Invitation of merchant ${merchantId}`,
        }),
      ),
    );

  return repeat({ work: takeUp, intervalMs, logger, failure: 'Could not pick up invitations' });
}
