import {
  type Client,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { generateVoucher } from '../../workflows/generate-voucher.js';
import {
  type ClaimCommand,
  type ClaimMade,
  claimResult,
  type GeneratedVoucher,
  type GenerateVoucherCommand,
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
import {
  generateVoucherId,
  redeemVoucherByClaimId,
  redeemVoucherWithoutClaimId,
  topUpId,
} from '../../workflows/workflow-ids.js';

/** The caller's time is up; the workflow goes on, and repeating the request gives its result. */
export class StillProcessingError extends Error {
  override readonly name = 'StillProcessingError';
}

/** Temporal cannot be reached or takes nothing more at the moment. */
export class WorkflowsUnavailableError extends Error {
  override readonly name = 'WorkflowsUnavailableError';

  constructor(
    /** Whether it is certain that nothing was started. */
    readonly isCertain: boolean,
    cause: unknown,
  ) {
    super('The workflow could not be reached', { cause });
  }
}

export interface WorkflowCallOptions {
  readonly client: Client;
  readonly taskQueue: string;
  /** Whether a worker of this process shares the client's connection and may start at once. */
  readonly eager: boolean;
  readonly callerWaitMs: number;
  readonly timing: RedemptionTiming & TopUpTiming;
}

export type WorkflowCalls = ReturnType<typeof createWorkflowCalls>;

const WORKFLOW_TASK_TIMEOUT = '5s';

/**
 * Starts workflows and waits for their answers, at most as long as a caller waits. Every call may be
 * repeated: ids and policies lead a repetition to the same workflow. Updates have the id of the HTTP
 * request, so that Temporal never answers from memory: the workflow and the database know better.
 *
 * @throws StillProcessingError, WorkflowsUnavailableError
 */
export function createWorkflowCalls(options: WorkflowCallOptions) {
  const { client, taskQueue, callerWaitMs, timing } = options;

  /** Runs a whole workflow that ends with its answer. */
  const generate = (command: GenerateVoucherCommand): Promise<OperationOutcome<GeneratedVoucher>> =>
    answerOf(async () => {
      const handle = await client.workflow.start<typeof generateVoucher>('generateVoucher', {
        workflowId: generateVoucherId(command.operationId),
        taskQueue,
        args: [command],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        requestEagerStart: options.eager,
        staticSummary: `Voucher of partner ${command.company.id}`,
      });
      return handle.result();
    });

  /** Starts a claim's workflow; it answers when the code is on its way. */
  const claim = (command: ClaimCommand): Promise<OperationOutcome<ClaimMade>> =>
    answerOf(() =>
      client.workflow.executeUpdateWithStart(claimResult, {
        updateId: command.requestId,
        startWorkflowOperation: redemptionStart(redeemVoucherByClaimId(command.operationId), {
          begin: { kind: 'claim', claim: command },
          timing,
        }),
      }),
    );

  /** Redeems through the workflow of the voucher's live claim, or through one of its own. */
  const redeemVoucherOf = (
    voucher: { readonly generationId: string; readonly claimOperationId: string | null },
    command: RedeemCommand,
  ): Promise<OperationOutcome<RedemptionMade>> =>
    answerOf(() =>
      client.workflow.executeUpdateWithStart(redeem, {
        args: [command],
        updateId: command.requestId,
        startWorkflowOperation: redemptionStart(
          voucher.claimOperationId === null
            ? redeemVoucherWithoutClaimId(voucher.generationId)
            : redeemVoucherByClaimId(voucher.claimOperationId),
          { begin: { kind: 'redeem', redeem: command }, timing },
        ),
      }),
    );

  /** Starts a top-up's workflow; it answers when it is known how the first attempt ended. */
  const topUpOnce = (command: TopUpCommand): Promise<OperationOutcome<TopUpMade>> =>
    answerOf(() =>
      client.workflow.executeUpdateWithStart(topUpResult, {
        updateId: command.requestId,
        startWorkflowOperation: topUpStart(command.operationId, {
          begin: { kind: 'create', command },
          timing,
        }),
      }),
    );

  /** One more attempt, by the workflow that waits for it or by one that takes its place. */
  const retryTopUpOf = (
    creationId: string,
    command: RetryCommand,
  ): Promise<OperationOutcome<TopUpMade>> =>
    answerOf(() =>
      client.workflow.executeUpdateWithStart(retryTopUp, {
        args: [command],
        updateId: command.requestId,
        startWorkflowOperation: topUpStart(creationId, {
          begin: { kind: 'retry', command },
          timing,
        }),
      }),
    );

  /** Tells a top-up that its provider has news; one that has ended does not need to know. */
  const hintTopUp = async (creationId: string): Promise<void> => {
    try {
      await client.workflow.getHandle(topUpId(creationId)).signal(providerHint);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw callError(error);
    }
  };

  const topUpStart = (creationId: string, input: TopUpInput) =>
    new WithStartWorkflowOperation<typeof topUp>('topUp', {
      workflowId: topUpId(creationId),
      taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      staticSummary:
        `Top-up ${input.begin.command.transactionId} of ` +
        `partner ${input.begin.command.company.id}`,
    });

  const redemptionStart = (workflowId: string, input: RedeemVoucherInput) =>
    new WithStartWorkflowOperation<typeof redeemVoucher>('redeemVoucher', {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      staticSummary: describe(input),
    });

  /** A call that met a workflow in the moment of its end is made once more, to a new one. */
  const answerOf = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    const deadline = Date.now() + callerWaitMs;
    const callOnce = () => before(deadline, client.withDeadline(deadline, call));
    try {
      return await callOnce();
    } catch (error) {
      if (!metEndOfWorkflow(error)) throw callError(error);
    }
    return callOnce().catch((error) => {
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

function describe({ begin }: RedeemVoucherInput): string {
  const { company, voucherId } = begin.kind === 'claim' ? begin.claim : begin.redeem;
  const what = begin.kind === 'claim' ? 'Claim' : 'Redemption';
  return `${what} of voucher ${voucherId} by ${company.kind} ${company.id}`;
}

const metEndOfWorkflow = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof Error &&
  'type' in error.cause &&
  error.cause.type === 'AcceptedUpdateCompletedWorkflow';

/** gRPC's CANCELLED and DEADLINE_EXCEEDED. */
const DEADLINE_CODES = [1, 4];

function callError(error: unknown): unknown {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return new StillProcessingError('The workflow has not answered yet', { cause: error });
  const cause = error instanceof Error ? error.cause : undefined;
  const grpc = [error, cause].find(isGrpcServiceError);
  if (!grpc) return error;
  return DEADLINE_CODES.includes(grpc.code)
    ? new StillProcessingError('The workflow has not answered yet', { cause: error })
    : new WorkflowsUnavailableError(isConnectFailure(grpc), error);
}

/** The connection was refused, so the request never left. */
const isConnectFailure = (error: Error & { readonly details?: string }): boolean =>
  /connect error|connection refused|ECONNREFUSED/i.test(`${error.message} ${error.details ?? ''}`);
