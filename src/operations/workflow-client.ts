import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import type { generateVoucher } from '../../workflows/generate-voucher.js';
import {
  type ClaimCommand,
  type ClaimMade,
  claimResult,
  type GeneratedVoucher,
  type GenerateVoucherCommand,
  invitationSettled,
  type OperationOutcome,
  providerHint,
  type RedeemCommand,
  type RedeemVoucherInput,
  type RedemptionMade,
  type RedemptionTiming,
  type RetryCommand,
  redeem,
  retryTopUp,
  type TopUpCommand,
  type TopUpInput,
  type TopUpMade,
  type TopUpTiming,
  topUpResult,
} from '../../workflows/messages.js';
import type { redeemVoucher } from '../../workflows/redeem-voucher.js';
import type { topUp } from '../../workflows/top-up.js';
import { generateVoucherId, inviteMerchantId } from '../../workflows/workflow-ids.js';
import type { Failpoint, FailpointName } from '../process/failpoint.js';
import type { Reachability } from '../temporal/reachability.js';
import {
  type ClaimableVoucher,
  claimIdFor,
  type RedeemableVoucher,
  redemptionStart,
  redemptionWorkflowId,
  topUpStart,
  WORKFLOW_TASK_TIMEOUT,
} from '../temporal/workflow-starts.js';
import {
  callError,
  foundNobody,
  missedWorkflow,
  StillProcessingError,
  WorkflowsUnavailableError,
} from './workflow-errors.js';

export interface WorkflowCallOptions {
  readonly client: Client;
  readonly reachability: Reachability;
  readonly taskQueue: string;
  /** Whether a worker of this process shares the client's connection and may start at once. */
  readonly eager: boolean;
  readonly callerWaitMs: number;
  readonly timing: RedemptionTiming & TopUpTiming;
  readonly failpoint: Failpoint;
}

export type WorkflowClient = ReturnType<typeof createWorkflowClient>;

/**
 * Starts workflows and waits for their answers until a deadline. Every call may be repeated: ids and
 * policies lead a repetition to the same workflow. Updates have the id of the HTTP request that began
 * the operation: repetitions add none, and Temporal never answers what the database has forgotten.
 *
 * @throws StillProcessingError, WorkflowsUnavailableError
 */
export function createWorkflowClient(options: WorkflowCallOptions) {
  const { client, taskQueue, callerWaitMs, timing, failpoint, reachability } = options;

  /** Runs a whole workflow that ends with its answer. */
  const generate = (
    command: GenerateVoucherCommand,
    deadline: number,
  ): Promise<OperationOutcome<GeneratedVoucher>> =>
    answerOf(undefined, deadline, async () => {
      const handle = await client.workflow.start<typeof generateVoucher>('generateVoucher', {
        workflowId: generateVoucherId(command.operationId),
        taskQueue,
        args: [command],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        requestEagerStart: options.eager,
        staticSummary: `Voucher of partner ${command.company.id}`,
      });
      await failpoint('generate-started');
      return handle.result();
    });

  /** Starts a claim's workflow; it answers when the code is on its way. */
  const claim = (
    voucher: ClaimableVoucher,
    command: ClaimCommand,
    deadline: number,
  ): Promise<OperationOutcome<ClaimMade>> =>
    answerOf('claim-started', deadline, () =>
      client.workflow.executeUpdateWithStart(claimResult, {
        updateId: command.requestId,
        startWorkflowOperation: redemptionOperation(claimIdFor(voucher, command.operationId), {
          kind: 'claim',
          claim: command,
        }),
      }),
    );

  /** Redeems through the workflow of the voucher's live claim, or through one of its own. */
  const redeemVoucherOf = (
    voucher: RedeemableVoucher,
    command: RedeemCommand,
    deadline: number,
  ): Promise<OperationOutcome<RedemptionMade>> =>
    answerOf('redeem-started', deadline, () =>
      client.workflow.executeUpdateWithStart(redeem, {
        args: [command],
        updateId: command.requestId,
        startWorkflowOperation: redemptionOperation(redemptionWorkflowId(voucher), {
          kind: 'redeem',
          redeem: command,
        }),
      }),
    );

  /** Starts a top-up's workflow; it answers when it is known how the first attempt ended. */
  const topUpOnce = (
    workflowId: string,
    command: TopUpCommand,
    deadline: number,
  ): Promise<OperationOutcome<TopUpMade>> =>
    answerOf('topup-started', deadline, () =>
      client.workflow.executeUpdateWithStart(topUpResult, {
        updateId: command.requestId,
        startWorkflowOperation: topUpOperation(workflowId, { kind: 'create', command }),
      }),
    );

  /** One more attempt, by the workflow that waits for it or by one that takes its place. */
  const retryTopUpOf = (
    workflowId: string,
    command: RetryCommand,
    deadline: number,
  ): Promise<OperationOutcome<TopUpMade>> =>
    answerOf('retry-started', deadline, () =>
      client.workflow.executeUpdateWithStart(retryTopUp, {
        args: [command],
        updateId: command.requestId,
        startWorkflowOperation: topUpOperation(workflowId, { kind: 'retry', command }),
      }),
    );

  /** Tells a top-up that its provider has news; one that has ended does not need to know. */
  const hintTopUp = async (workflowId: string): Promise<void> => {
    try {
      await client.workflow.getHandle(workflowId).signal(providerHint);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw callError(error);
    }
  };

  /** Tells an invitation that it was used. It finds out by itself when its time is over. */
  const tellInvitation = async (invitationId: string): Promise<void> => {
    try {
      await client.withDeadline(Date.now() + callerWaitMs, () =>
        client.workflow.getHandle(inviteMerchantId(invitationId)).signal(invitationSettled),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw callError(error);
    }
  };

  const policy = { taskQueue, workflowIdConflictPolicy: 'USE_EXISTING' } as const;

  const topUpOperation = (workflowId: string, begin: TopUpInput['begin']) =>
    new WithStartWorkflowOperation<typeof topUp>('topUp', {
      ...topUpStart(workflowId, { begin, timing }),
      ...policy,
    });

  const redemptionOperation = (workflowId: string, begin: RedeemVoucherInput['begin']) =>
    new WithStartWorkflowOperation<typeof redeemVoucher>('redeemVoucher', {
      ...redemptionStart(workflowId, { begin, timing }),
      ...policy,
    });

  /** A call that missed its workflow, such as in the moment of its end, is made once more. */
  const answerOf = async <Answer>(
    step: FailpointName | undefined,
    deadline: number,
    call: () => Promise<Answer>,
  ): Promise<Answer> => {
    const callOnce = async (isFirst: boolean) => {
      // After the first call nobody can say that nothing was started.
      if (!(await reachability.isReachable())) throw new WorkflowsUnavailableError(isFirst);
      const calling = client.withDeadline(deadline, call);
      calling.catch((error) => foundNobody(error) && reachability.doubt());
      const answer = before(deadline, calling);
      // Where a test lets this step fail, nobody listens to the answer.
      answer.catch(() => {});
      if (step) await failpoint(step);
      return answer;
    };
    try {
      return await callOnce(true);
    } catch (error) {
      if (!missedWorkflow(error)) throw callError(error);
    }
    return callOnce(false).catch((error) => {
      throw callError(error);
    });
  };

  return {
    generate,
    claim,
    redeem: redeemVoucherOf,
    topUp: topUpOnce,
    retryTopUp: retryTopUpOf,
    hintTopUp,
    tellInvitation,
  };
}

/** The native client may begin its time anew when it repeats a call, so ours is kept as well. */
async function before<Answer>(deadline: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<never>((_resolve, reject) => {
    const error = new StillProcessingError('The workflow has not answered yet');
    timer = setTimeout(() => reject(error), deadline - Date.now());
  });
  // The call itself ends later, and then nobody listens any more.
  answer.catch(() => {});
  return Promise.race([answer, timeIsUp]).finally(() => clearTimeout(timer));
}
