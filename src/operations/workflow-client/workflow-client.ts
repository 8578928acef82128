import { invitationSettled } from '../../../workflows/contracts.ts';
import { inviteMerchantId } from '../../../workflows/workflow-ids.ts';
import { startBulkOrder } from '../../runtime/temporal/starters.ts';
import { createLaterVoucherCalls } from './later-voucher-calls.ts';
import { createPayoutAccountCalls } from './payout-account-calls.ts';
import { tellWorkflow } from './tell-workflow.ts';
import { createTopUpCalls } from './top-up-calls.ts';
import { createVoucherCalls } from './voucher-calls.ts';
import { createAnswers } from './workflow-answers.ts';
import type { WorkflowCallOptions } from './workflow-call-options.ts';

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
    ...createPayoutAccountCalls(options, answerOf),
  };
}

function createBulkOrderCalls({ client, taskQueue, callerWaitMs }: WorkflowCallOptions) {
  /** Starts the workflow of a recorded order, unless it runs. */
  const beginBulkOrder = (order: Parameters<typeof startBulkOrder>[1]) =>
    client.withDeadline(Date.now() + callerWaitMs, () =>
      startBulkOrder({ client, taskQueue }, order),
    );

  return { beginBulkOrder };
}

function createInvitationCalls(options: WorkflowCallOptions) {
  /**
   * Signals the use of an invitation. Without the signal the workflow notices it at the deadline.
   */
  const tellInvitation = (invitationId: string): Promise<void> =>
    tellWorkflow(options, () =>
      options.client.workflow.getHandle(inviteMerchantId(invitationId)).signal(invitationSettled),
    );

  return { tellInvitation };
}
