import { randomUUID } from 'node:crypto';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { Logger } from 'pino';
import { type RetryCommand, retryTopUp, type TopUpTiming } from '../../workflows/contracts.js';
import type { topUp } from '../../workflows/top-up.js';
import { topUpWorkflowId } from '../../workflows/workflow-ids.js';
import type { Digests } from '../crypto/digests.js';
import type { Database } from '../db/connection.js';
import { markRetryTaken, retriesToTakeUp } from '../db/operations/operator-commands.js';
import { topUpStart } from '../temporal/workflow-starts.js';
import { type Repetition, repeat } from './repeat.js';

const BATCH_SIZE = 100;
/** The client itself has no time limit. */
const SEND_LIMIT_MS = 10_000;

/**
 * Executes the retries of top-ups that operators have written, by the workflow that waits for them
 * or by its successor. Any number of workers may poll: a command is one operation, even if it is
 * sent repeatedly.
 */
export function createRetryPickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly digests: Digests;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly timing: TopUpTiming;
  readonly intervalMs: number;
}): Repetition {
  const { database, client, digests, logger, taskQueue, timing, intervalMs } = options;

  type Retry = Awaited<ReturnType<typeof retriesToTakeUp>>[number];

  async function takeUp(): Promise<void> {
    for (const retry of await retriesToTakeUp(database, BATCH_SIZE)) {
      await client.withDeadline(Date.now() + SEND_LIMIT_MS, () => send(retry));
      await markRetryTaken(database, retry.id);
    }
  }

  /** Waits until the workflow has accepted it; the workflow handles the outcome. */
  async function send(retry: Retry): Promise<void> {
    const key = `operator-command ${retry.id}`;
    const command: RetryCommand = {
      operationId: digests.operation({
        ownerKind: 'partner',
        ownerId: retry.partner_id,
        kind: 'operator-retry',
        key,
      }),
      requestId: randomUUID(),
      requestDigest: digests.request(key),
      company: {
        kind: 'partner',
        id: retry.partner_id,
        credential: { operatorCommandId: retry.id },
      },
      transactionId: retry.topup_id,
      attempt: retry.attempt,
      msisdn: retry.msisdn,
    };
    const begin = { kind: 'retry', command } as const;
    await client.workflow.startUpdateWithStart(retryTopUp, {
      args: [command],
      updateId: command.operationId,
      waitForStage: 'ACCEPTED',
      startWorkflowOperation: new WithStartWorkflowOperation<typeof topUp>('topUp', {
        ...topUpStart(topUpWorkflowId(retry), { begin, timing }),
        taskQueue,
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    });
  }

  return repeat({ work: takeUp, intervalMs, logger, failure: 'Could not pick up retries' });
}
