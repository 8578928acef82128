import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { cancelVoucher } from '../../../workflows/cancel-voucher.ts';
import {
  type CancelVoucherCommand,
  type MessageResent,
  type OperationOutcome,
  type RedemptionReversed,
  type ResendMessageCommand,
  type ReversalTiming,
  type ReverseRedemptionCommand,
  reversalResult,
  type VoucherCancelled,
} from '../../../workflows/contracts.ts';
import type { resendMessage } from '../../../workflows/resend-message.ts';
import type { reverseRedemption } from '../../../workflows/reverse-redemption.ts';
import { cancelVoucherId, resendMessageId } from '../../../workflows/workflow-ids.ts';
import type { NamedRedemption } from '../../db/support-search.ts';
import type { NumberBox } from '../../domain/phone.ts';
import type { ReportedCode } from '../../domain/vouchers/messages.ts';
import { type NamedVoucher, namesOfVoucher } from '../../domain/vouchers/voucher.ts';
import {
  namesOfCompany,
  reversalStart,
  type StartNames,
  searchAttributesOf,
  tellCodeDelivery,
  WORKFLOW_TASK_TIMEOUT,
} from '../../runtime/temporal/workflow-starts.ts';
import type { AnswerOf } from './workflow-answers.ts';
import { USE_EXISTING } from './workflow-call-options.ts';

interface LaterCallOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly timing: ReversalTiming;
  readonly numbers: Pick<NumberBox, 'hashOfStored'>;
}

/** What companies do with a voucher later. A voucher that they do not have is undefined. */
export function createLaterVoucherCalls(
  { client, taskQueue, timing, numbers }: LaterCallOptions,
  answerOf: AnswerOf,
) {
  const namesOf = (voucher: NamedVoucher | undefined): StartNames =>
    voucher === undefined ? {} : namesOfVoucher(voucher, numbers);
  const policy = {
    taskQueue,
    ...USE_EXISTING,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  } as const;

  const cancel = (
    command: CancelVoucherCommand,
    voucher: NamedVoucher | undefined,
    deadline: number,
  ): Promise<OperationOutcome<VoucherCancelled>> =>
    answerOf(undefined, deadline, () =>
      client.workflow.execute<typeof cancelVoucher>('cancelVoucher', {
        workflowId: cancelVoucherId(command.operationId),
        args: [command],
        ...searchAttributesOf('cancel-voucher', {
          ...namesOf(voucher),
          ...namesOfCompany(command.company),
        }),
        staticSummary: `Cancellation of voucher ${command.voucherId} by partner ${command.company.id}`,
        ...policy,
      }),
    );

  /** Its answer waits for the SMS provider. */
  const resend = (
    command: ResendMessageCommand,
    voucher: NamedVoucher | undefined,
    deadline: number,
  ): Promise<OperationOutcome<MessageResent>> =>
    answerOf(undefined, deadline, () =>
      client.workflow.execute<typeof resendMessage>('resendMessage', {
        workflowId: resendMessageId(command.operationId),
        args: [command],
        ...searchAttributesOf('resend-message', {
          ...namesOf(voucher),
          ...namesOfCompany(command.company),
        }),
        staticSummary: `Message of voucher ${command.voucherId} again`,
        ...policy,
      }),
    );

  /** Its answer waits for the mobile-money provider; the workflow then tells the owner. */
  const reverse = (
    command: ReverseRedemptionCommand,
    redemption: NamedRedemption | undefined,
    deadline: number,
  ): Promise<OperationOutcome<RedemptionReversed>> =>
    answerOf('reverse-started', deadline, () =>
      client.workflow.executeUpdateWithStart(reversalResult, {
        updateId: command.requestId,
        startWorkflowOperation: new WithStartWorkflowOperation<typeof reverseRedemption>(
          'reverseRedemption',
          {
            ...reversalStart(
              { command, timing },
              { ...namesOf(redemption), references: redemption?.references },
            ),
            ...policy,
          },
        ),
      }),
    );

  /** Tells a waiting claim what was reported about its code; it only shows it. */
  const tellCode = (code: ReportedCode): Promise<void> => tellCodeDelivery(client, code);

  return { cancel, resend, reverse, tellCode };
}
