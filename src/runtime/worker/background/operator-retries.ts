import { randomUUID } from 'node:crypto';
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { isForeign } from '../../../../workflows/addressed-input.ts';
import {
  type OperationOutcome,
  type RetryCommand,
  retryTopUp,
  type TopUpMade,
  type TopUpTiming,
} from '../../../../workflows/contracts.ts';
import type { topUp } from '../../../../workflows/top-up.ts';
import type { Digests } from '../../../crypto/digests.ts';
import type { NumberBox, StoredNumber } from '../../../domain/phone.ts';
import { topUpStart } from '../../temporal/workflow-starts.ts';

/** The client itself has no time limit. */
const SEND_LIMIT_MS = 10_000;

export type OperatorRetries = ReturnType<typeof createOperatorRetries>;

/** A retry that an operator or a repair has written. */
interface WrittenRetry {
  readonly workflowId: string;
  readonly id: number;
  readonly topup_id: number;
  readonly attempt: number;
  readonly msisdn: StoredNumber | null;
  /** The number of the attempt before it. */
  readonly previous: StoredNumber;
  readonly partner_id: number;
}

/**
 * Sends a written retry to the workflow that waits for it, or to its successor. It is one operation,
 * even if it is sent repeatedly.
 */
export function createOperatorRetries(options: {
  readonly client: Client;
  readonly digests: Digests;
  readonly numbers: NumberBox;
  readonly taskQueue: string;
  readonly timing: TopUpTiming;
}) {
  const { client, digests, numbers, taskQueue, timing } = options;

  function commandOf(retry: WrittenRetry): RetryCommand {
    const key = `operator-command ${retry.id}`;
    return {
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
      msisdn: numbers.openIfAny(retry.msisdn),
      ...(retry.msisdn !== null && { numberHash: numbers.hashOfStored(retry.msisdn) }),
    };
  }

  const start = (command: RetryCommand, retry: WrittenRetry) =>
    client.workflow.startUpdateWithStart(retryTopUp, {
      args: [command],
      updateId: command.operationId,
      waitForStage: 'ACCEPTED',
      startWorkflowOperation: new WithStartWorkflowOperation<typeof topUp>('topUp', {
        ...topUpStart(
          retry.workflowId,
          { begin: { kind: 'retry', command }, timing },
          { numberHash: numbers.hashOfStored(retry.msisdn ?? retry.previous) },
        ),
        taskQueue,
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    });

  return {
    /** Waits until the workflow has accepted it; the workflow handles the outcome. */
    async send(retry: WrittenRetry): Promise<void> {
      await client.withDeadline(Date.now() + SEND_LIMIT_MS, () => start(commandOf(retry), retry));
    },

    /** The same, and its outcome; undefined where it is not known in this time. */
    async outcomeOf(
      retry: WrittenRetry,
      waitMs: number,
    ): Promise<OperationOutcome<TopUpMade> | undefined> {
      try {
        return await client.withDeadline(Date.now() + waitMs, async () => {
          const update = await start(commandOf(retry), retry);
          const outcome = await update.result();
          return isForeign(outcome) ? undefined : outcome;
        });
      } catch (error) {
        if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return undefined;
        throw error;
      }
    },
  };
}
