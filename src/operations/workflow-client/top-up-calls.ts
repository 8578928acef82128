import { WithStartWorkflowOperation } from '@temporalio/client';
import {
  type OperationOutcome,
  providerHint,
  type RetryCommand,
  retryTopUp,
  type TopUpCommand,
  type TopUpInput,
  type TopUpMade,
  topUpResult,
} from '../../../workflows/contracts.ts';
import type { topUp } from '../../../workflows/top-up.ts';
import type { StoredNumber } from '../../domain/phone.ts';
import { type StartNames, topUpStart } from '../../runtime/temporal/workflow-starts.ts';
import { tellWorkflow } from './tell-workflow.ts';
import type { AnswerOf } from './workflow-answers.ts';
import { namesOfNumber, USE_EXISTING, type WorkflowCallOptions } from './workflow-call-options.ts';

/** Top-ups and their retries. */
export function createTopUpCalls(options: WorkflowCallOptions, answerOf: AnswerOf) {
  const { client, taskQueue, timing } = options;
  const hashOf = namesOfNumber(options);

  /** Starts a top-up's workflow; it answers when the outcome of the first attempt is known. */
  const startTopUp = (
    workflowId: string,
    command: TopUpCommand,
    msisdn: string,
    deadline: number,
  ): Promise<OperationOutcome<TopUpMade>> =>
    answerOf('topup-started', deadline, () =>
      client.workflow.executeUpdateWithStart(topUpResult, {
        updateId: command.requestId,
        startWorkflowOperation: topUpOperation(
          workflowId,
          { kind: 'create', command },
          hashOf(msisdn),
        ),
      }),
    );

  /**
   * One more attempt, by the workflow that waits for it or by its successor. `previous` is the number of
   * the attempt before it.
   */
  const retryTopUpOf = (
    workflowId: string,
    command: RetryCommand,
    { previous, deadline }: { readonly previous: StoredNumber; readonly deadline: number },
  ): Promise<OperationOutcome<TopUpMade>> =>
    answerOf('retry-started', deadline, () => {
      const { msisdn } = command;
      const named = { ...command, numberHash: hashOf(msisdn).numberHash };
      return client.workflow.executeUpdateWithStart(retryTopUp, {
        args: [named],
        updateId: command.requestId,
        startWorkflowOperation: topUpOperation(
          workflowId,
          { kind: 'retry', command: named },
          msisdn === null ? hashOf(null, previous) : hashOf(msisdn),
        ),
      });
    });

  /** Signals a changed transaction to a top-up or payment; a completed workflow ignores it. */
  const hintTopUp = (workflowId: string): Promise<void> =>
    tellWorkflow(options, () => client.workflow.getHandle(workflowId).signal(providerHint));

  const topUpOperation = (workflowId: string, begin: TopUpInput['begin'], names: StartNames) =>
    new WithStartWorkflowOperation<typeof topUp>('topUp', {
      ...topUpStart(workflowId, { begin, timing }, names),
      taskQueue,
      ...USE_EXISTING,
    });

  return { topUp: startTopUp, retryTopUp: retryTopUpOf, hintTopUp, hintPayment: hintTopUp };
}
