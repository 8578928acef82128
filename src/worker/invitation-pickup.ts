import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Logger } from 'pino';
import type { inviteMerchant } from '../../workflows/invite-merchant.js';
import { inviteMerchantId } from '../../workflows/workflow-ids.js';
import type { Database } from '../db/connection.js';
import { invitationsToTakeUp } from '../db/invitations.js';
import { describeError } from '../describe-error.js';
import { WORKFLOW_TASK_TIMEOUT } from '../temporal/workflow-starts.js';

const BATCH_SIZE = 100;
/** The client has no time limit of its own. */
const START_LIMIT_MS = 5_000;

/**
 * Starts the workflows of invitations that operators have written. Their command only needs the
 * database: while Temporal is away, what was written waits there. Any number of workers may look, since
 * an invitation has one workflow. A Schedule would leave a run in Temporal for every few seconds.
 */
export function createInvitationPickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly lifetimeMs: number;
  readonly intervalMs: number;
}) {
  const { database, client, logger, taskQueue, lifetimeMs, intervalMs } = options;
  let isStopped = false;
  let hasFailed = false;
  let wake = () => {};

  async function takeUp(): Promise<void> {
    for (const { id, merchantId } of await invitationsToTakeUp(database, BATCH_SIZE))
      await start(id, merchantId);
  }

  async function start(invitationId: string, merchantId: number): Promise<void> {
    try {
      await client.withDeadline(Date.now() + START_LIMIT_MS, () =>
        client.workflow.start<typeof inviteMerchant>('inviteMerchant', {
          workflowId: inviteMerchantId(invitationId),
          taskQueue,
          args: [{ invitationId, merchantId, lifetimeMs }],
          workflowIdConflictPolicy: 'FAIL',
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
          staticSummary: `Invitation of merchant ${merchantId}`,
        }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, intervalMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = (async () => {
    while (!isStopped) {
      try {
        await takeUp();
        hasFailed = false;
      } catch (error) {
        // Said once, and not every few seconds while a server is away.
        if (!hasFailed) logger.warn(describeError(error), 'Invitations could not be taken up');
        hasFailed = true;
      }
      if (!isStopped) await pause();
    }
  })();

  return {
    /** Ends looking; waits for what is being started. */
    async stop(): Promise<void> {
      isStopped = true;
      wake();
      await run;
    },
  };
}
