import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { tellOwners } from '../../../workflows/tell-owners.js';
import { tellOwnersId } from '../../../workflows/workflow-ids.js';
import { unsentAccessNotices } from '../../db/access/access-notices.js';
import type { Database } from '../../db/connection.js';
import { startUnlessRunning } from '../../temporal/unless-running.js';
import { WORKFLOW_TASK_TIMEOUT } from '../../temporal/workflow-starts.js';
import { type Repetition, repeat } from './repeat.js';

const BATCH_SIZE = 100;
/** The client itself has no time limit. */
const START_LIMIT_MS = 5_000;

/**
 * Starts the workflows that tell owners of a changed access. A change waits in the database while
 * Temporal is unavailable; any number of workers may poll, since it has one workflow.
 */
export function createNoticePickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly intervalMs: number;
}): Repetition {
  const { database, client, logger, taskQueue, intervalMs } = options;

  async function takeUp(): Promise<void> {
    for (const auditId of await unsentAccessNotices(database, BATCH_SIZE)) await start(auditId);
  }

  const start = (auditId: number): Promise<boolean> =>
    startUnlessRunning(() =>
      client.withDeadline(Date.now() + START_LIMIT_MS, () =>
        client.workflow.start<typeof tellOwners>('tellOwners', {
          workflowId: tellOwnersId(auditId, taskQueue),
          taskQueue,
          args: [{ auditId }],
          workflowIdConflictPolicy: 'FAIL',
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
          staticSummary: `Changed access ${auditId}`,
        }),
      ),
    );

  return repeat({ work: takeUp, intervalMs, logger, failure: 'Could not pick up notices' });
}
