import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
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
} from '../../../workflows/contracts.js';
import type { generateVoucher } from '../../../workflows/generate-voucher.js';
import type { redeemVoucher } from '../../../workflows/redeem-voucher.js';
import type { topUp } from '../../../workflows/top-up.js';
import { generateVoucherId, inviteMerchantId } from '../../../workflows/workflow-ids.js';
import type { NumberBox, StoredNumber } from '../../domain/phone.js';
import type { Failpoint } from '../../process/failpoint.js';
import { startBulkOrder } from '../../temporal/bulk-order-start.js';
import type { Reachability } from '../../temporal/reachability.js';
import { tellIfRunning } from '../../temporal/unless-running.js';
import {
  claimIdFor,
  type FindableVoucher,
  namesOfCompany,
  redemptionStart,
  redemptionWorkflowId,
  type StartNames,
  searchAttributesOf,
  topUpStart,
  WORKFLOW_TASK_TIMEOUT,
} from '../../temporal/workflow-starts.js';
import { createLaterVoucherCalls } from './later-voucher-calls.js';
import { type AnswerOf, createAnswers } from './workflow-answers.js';
import { callError } from './workflow-errors.js';

export interface WorkflowCallOptions {
  readonly client: Client;
  readonly reachability: Reachability;
  readonly taskQueue: string;
  /** Whether a worker of this process shares the client's connection, which allows eager starts. */
  readonly eager: boolean;
  readonly callerWaitMs: number;
  readonly timing: RedemptionTiming & TopUpTiming;
  readonly failpoint: Failpoint;
  /** Makes the hashes of numbers by which workflows are found. */
  readonly numbers: Pick<NumberBox, 'hashOf' | 'hashOfStored'>;
}

export type WorkflowClient = ReturnType<typeof createWorkflowClient>;

/**
 * Starts workflows and waits for their answers until a deadline. Every call can be repeated: ids
 * and policies route a repetition to the same workflow. An update has the id of the HTTP request
 * that began the operation: a repetition adds none, and Temporal never returns answers that the
 * database has deleted.
 *
 * @throws StillProcessingError, WorkflowsUnavailableError
 */
export function createWorkflowClient(options: WorkflowCallOptions) {
  const answerOf = createAnswers(options);
  return {
    ...createVoucherCalls(options, answerOf),
    ...createLaterVoucherCalls(options, answerOf),
    ...createTopUpCalls(options, answerOf),
    ...createBulkOrderCalls(options),
    ...createInvitationCalls(options),
  };
}

/** Temporal routes a repeated start to the running workflow. */
const USE_EXISTING = { workflowIdConflictPolicy: 'USE_EXISTING' } as const;

const tell = (signal: () => Promise<void>): Promise<void> =>
  tellIfRunning(signal).catch((error) => {
    throw callError(error);
  });

const namesOfNumber =
  ({ numbers }: WorkflowCallOptions) =>
  (given: string | null, owner: StoredNumber | null = null): StartNames => {
    if (owner !== null) return { numberHash: numbers.hashOfStored(owner) };
    return given === null ? {} : { numberHash: numbers.hashOf(given) };
  };

/** A merchant that asks is the one that is paid. */
const namesOf = (
  { partnerId, merchantId, serialNumber }: FindableVoucher,
  command: ClaimCommand | RedeemCommand,
): StartNames => ({
  partnerId,
  merchantId: ('merchantId' in command ? command.merchantId : null) ?? merchantId,
  ...namesOfCompany(command.company),
  serialNumber,
});

/** Generation, claim and redemption of vouchers. */
function createVoucherCalls(options: WorkflowCallOptions, answerOf: AnswerOf) {
  const { client, taskQueue, timing, failpoint } = options;
  const hashOf = namesOfNumber(options);

  /** Runs a whole workflow whose result is the answer. */
  const generate = (
    command: GenerateVoucherCommand,
    deadline: number,
  ): Promise<OperationOutcome<GeneratedVoucher>> =>
    answerOf(undefined, deadline, async () => {
      const handle = await client.workflow.start<typeof generateVoucher>('generateVoucher', {
        workflowId: generateVoucherId(command.operationId),
        taskQueue,
        args: [command],
        ...USE_EXISTING,
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        requestEagerStart: options.eager,
        staticSummary: `Voucher of partner ${command.company.id}`,
        ...searchAttributesOf('generate-voucher', {
          ...namesOfCompany(command.company),
          ...hashOf(command.ownerMsisdn),
        }),
      });
      await failpoint('generate-started');
      return handle.result();
    });

  /** Starts a claim's workflow; it answers when the code was sent. */
  const claim = (
    voucher: FindableVoucher,
    command: ClaimCommand,
    deadline: number,
  ): Promise<OperationOutcome<ClaimMade>> =>
    answerOf('claim-started', deadline, () =>
      client.workflow.executeUpdateWithStart(claimResult, {
        updateId: command.requestId,
        startWorkflowOperation: redemptionOperation(
          claimIdFor(voucher, command.operationId),
          { kind: 'claim', claim: command },
          { ...namesOf(voucher, command), ...hashOf(null, voucher.ownerMsisdn) },
        ),
      }),
    );

  /** Redeems through the workflow of the voucher's live claim, or through a separate one. */
  const redeemVoucherOf = (
    voucher: FindableVoucher,
    command: RedeemCommand,
    deadline: number,
  ): Promise<OperationOutcome<RedemptionMade>> =>
    answerOf('redeem-started', deadline, () =>
      client.workflow.executeUpdateWithStart(redeem, {
        args: [command],
        updateId: command.requestId,
        startWorkflowOperation: redemptionOperation(
          redemptionWorkflowId(voucher),
          { kind: 'redeem', redeem: command },
          { ...namesOf(voucher, command), ...hashOf(command.msisdn, voucher.ownerMsisdn) },
        ),
      }),
    );

  const redemptionOperation = (
    workflowId: string,
    begin: RedeemVoucherInput['begin'],
    names: StartNames,
  ) =>
    new WithStartWorkflowOperation<typeof redeemVoucher>('redeemVoucher', {
      ...redemptionStart(workflowId, { begin, timing }, names),
      taskQueue,
      ...USE_EXISTING,
    });

  return { generate, claim, redeem: redeemVoucherOf };
}

/** Top-ups and their retries. */
function createTopUpCalls(options: WorkflowCallOptions, answerOf: AnswerOf) {
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
        startWorkflowOperation: topUpOperation(workflowId, { kind: 'create', command }, msisdn),
      }),
    );

  /** One more attempt, by the workflow that waits for it or by its successor. */
  const retryTopUpOf = (
    workflowId: string,
    command: RetryCommand,
    deadline: number,
  ): Promise<OperationOutcome<TopUpMade>> =>
    answerOf('retry-started', deadline, () =>
      client.workflow.executeUpdateWithStart(retryTopUp, {
        args: [command],
        updateId: command.requestId,
        startWorkflowOperation: topUpOperation(
          workflowId,
          { kind: 'retry', command },
          command.msisdn,
        ),
      }),
    );

  /** Signals a changed transaction to a top-up or payment; a completed workflow ignores it. */
  const hintTopUp = (workflowId: string): Promise<void> =>
    tell(() => client.workflow.getHandle(workflowId).signal(providerHint));

  const topUpOperation = (workflowId: string, begin: TopUpInput['begin'], msisdn: string | null) =>
    new WithStartWorkflowOperation<typeof topUp>('topUp', {
      ...topUpStart(workflowId, { begin, timing }, hashOf(msisdn)),
      taskQueue,
      ...USE_EXISTING,
    });

  return { topUp: startTopUp, retryTopUp: retryTopUpOf, hintTopUp, hintPayment: hintTopUp };
}

function createBulkOrderCalls({ client, taskQueue, callerWaitMs }: WorkflowCallOptions) {
  /** Starts the workflow of a recorded order, unless it runs. */
  const beginBulkOrder = (order: Parameters<typeof startBulkOrder>[1]) =>
    client.withDeadline(Date.now() + callerWaitMs, () =>
      startBulkOrder({ client, taskQueue }, order),
    );

  return { beginBulkOrder };
}

function createInvitationCalls({ client, callerWaitMs }: WorkflowCallOptions) {
  /**
   * Signals the use of an invitation. Without the signal the workflow notices it at the deadline.
   */
  const tellInvitation = (invitationId: string): Promise<void> =>
    tell(() =>
      client.withDeadline(Date.now() + callerWaitMs, () =>
        client.workflow.getHandle(inviteMerchantId(invitationId)).signal(invitationSettled),
      ),
    );

  return { tellInvitation };
}
