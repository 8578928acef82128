import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { RepairInput } from '../../../workflows/repair/contracts.js';
import type { repair } from '../../../workflows/repair.js';
import { repairWorkflowId } from '../../../workflows/workflow-ids.js';
import type { Database } from '../../db/connection.js';
import { expireRepairs } from '../../db/repairs/repair-confirmations.js';
import { type RepairToStart, repairsToStart } from '../../db/repairs/repair-lists.js';
import { startUnlessRunning } from '../../temporal/unless-running.js';
import {
  namesOfCompany,
  searchAttributesOf,
  WORKFLOW_TASK_TIMEOUT,
} from '../../temporal/workflow-starts.js';
import { type Repetition, repeat } from './repeat.js';

const BATCH_SIZE = 100;
/** The client itself has no time limit. */
const START_LIMIT_MS = 5_000;

/**
 * Starts the workflows of repairs that staff and operators have asked for, and ends those that nobody
 * confirmed in time. Any number of workers may poll, since a repair has one workflow.
 */
export function createRepairPickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly timing: RepairInput['timing'];
  readonly intervalMs: number;
}): Repetition {
  const { database, client, logger, taskQueue, intervalMs } = options;
  const { inquiryIntervalMs, alarmAfterMs, resultsAreNamed } = options.timing;
  const timing = {
    inquiryIntervalMs,
    alarmAfterMs,
    ...(resultsAreNamed === undefined ? {} : { resultsAreNamed }),
  };

  async function takeUp(): Promise<void> {
    await expireRepairs(database);
    for (const found of await repairsToStart(database, BATCH_SIZE)) await start(found);
  }

  const start = ({ id, operationId, kind, company, serialNumber, topupId }: RepairToStart) =>
    startUnlessRunning(() =>
      client.withDeadline(Date.now() + START_LIMIT_MS, () =>
        client.workflow.start<typeof repair>('repair', {
          workflowId: repairWorkflowId(id, operationId),
          taskQueue,
          args: [{ repairId: id, operationId, timing }],
          workflowIdConflictPolicy: 'FAIL',
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
          staticSummary: `Repair ${id}: ${kind}`,
          ...searchAttributesOf('repair', {
            ...namesOfCompany(company),
            serialNumber: serialNumber ?? undefined,
            transactionId: topupId ?? undefined,
          }),
        }),
      ),
    );

  return repeat({ work: takeUp, intervalMs, logger, failure: 'Could not pick up repairs' });
}
