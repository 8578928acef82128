import { WithStartWorkflowOperation } from '@temporalio/client';
import {
  type ClaimCommand,
  type ClaimMade,
  claimResult,
  type GeneratedVoucher,
  type GenerateVoucherCommand,
  type OperationOutcome,
  type RedeemCommand,
  type RedeemVoucherInput,
  type RedemptionMade,
  redeem,
} from '../../../workflows/contracts.ts';
import type { generateVoucher } from '../../../workflows/generate-voucher.ts';
import type { redeemVoucher } from '../../../workflows/redeem-voucher.ts';
import { generateVoucherId } from '../../../workflows/workflow-ids.ts';
import {
  claimIdFor,
  type FindableVoucher,
  namesOfCompany,
  redemptionStart,
  redemptionWorkflowId,
  type StartNames,
  searchAttributesOf,
  WORKFLOW_TASK_TIMEOUT,
} from '../../runtime/temporal/workflow-starts.ts';
import type { AnswerOf } from './workflow-answers.ts';
import { namesOfNumber, USE_EXISTING, type WorkflowCallOptions } from './workflow-call-options.ts';

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
export function createVoucherCalls(options: WorkflowCallOptions, answerOf: AnswerOf) {
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
