import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type {
  RedeemVoucherInput,
  ReverseRedemptionInput,
  TopUpInput,
} from '../../../workflows/contracts.ts';
import { codeDelivery } from '../../../workflows/redemption/code-delivery.ts';
import {
  merchantId,
  numberHash,
  operation,
  partnerId,
  reference,
  transactionId,
  voucherSerial,
} from '../../../workflows/search-attributes.ts';
import {
  claimId,
  redeemVoucherWithoutClaimId,
  reverseRedemptionId,
} from '../../../workflows/workflow-ids.ts';
import type { ReportedCode } from '../../domain/vouchers/messages.ts';
import type { NamedVoucher } from '../../domain/vouchers/voucher.ts';

/** After this time another worker takes over the task of a dead one. */
export const WORKFLOW_TASK_TIMEOUT = '5s';

/** What a workflow is found by from its start on. */
export interface StartNames {
  readonly partnerId?: number | undefined;
  readonly merchantId?: number | undefined;
  /** Of the voucher. */
  readonly serialNumber?: string | undefined;
  /** Of a top-up. */
  readonly transactionId?: number | undefined;
  /** Keyed hash of the customer's number. */
  readonly numberHash?: string | undefined;
  /** Ours and the provider's, as far as they are known. */
  readonly references?: readonly string[] | undefined;
}

/** The kinds of `Operation`. */
type StartedOperation =
  | 'generate-voucher'
  | 'claim'
  | 'redeem'
  | 'reverse'
  | 'top-up'
  | 'cancel-voucher'
  | 'resend-message'
  | 'repair'
  | 'check-payout-account'
  | 'generate-bulk'
  | 'case'
  | 'finish-message'
  | 'invite-merchant'
  | 'tell-owners'
  | 'deliver-webhooks'
  | 'send-statements';

/** The company of a command, as the names of a start. */
export const namesOfCompany = ({
  kind,
  id,
}: {
  readonly kind: 'partner' | 'merchant';
  readonly id: number;
}): StartNames => (kind === 'partner' ? { partnerId: id } : { merchantId: id });

/** The search attributes of a start: without a further write of the workflow. */
export const searchAttributesOf = (name: StartedOperation, names: StartNames) => ({
  typedSearchAttributes: [
    { key: operation, value: name },
    ...(names.partnerId === undefined ? [] : [{ key: partnerId, value: String(names.partnerId) }]),
    ...(names.merchantId === undefined
      ? []
      : [{ key: merchantId, value: String(names.merchantId) }]),
    ...(names.serialNumber === undefined
      ? []
      : [{ key: voucherSerial, value: names.serialNumber }]),
    ...(names.transactionId === undefined
      ? []
      : [{ key: transactionId, value: String(names.transactionId) }]),
    ...(names.numberHash === undefined ? [] : [{ key: numberHash, value: names.numberHash }]),
    ...(names.references === undefined || names.references.length === 0
      ? []
      : [{ key: reference, value: [...names.references] }]),
  ],
});

/** A voucher with the data that names the workflow of its redemption. */
export interface RedeemableVoucher {
  /** The operation that generated it. */
  readonly generationId: string;
  /** The operation of its live claim. */
  readonly claimOperationId: string | null;
  readonly claimWorkflowId: string | null;
}

/** The workflow of a voucher's live claim, or a separate one for a redemption without a claim. */
export const redemptionWorkflowId = (voucher: RedeemableVoucher): string =>
  voucher.claimWorkflowId ?? redeemVoucherWithoutClaimId(voucher.generationId);

/** A voucher with the data that names the workflow of its claim. */
export interface ClaimableVoucher extends RedeemableVoucher {
  readonly serialNumber: string;
}

/** A voucher with the data that its workflows are found by. */
export interface FindableVoucher extends ClaimableVoucher, NamedVoucher {}

/**
 * The workflow of a requested claim: that of the live claim if the operation made it, else a new
 * one.
 */
export const claimIdFor = (voucher: ClaimableVoucher, operationId: string): string =>
  voucher.claimOperationId === operationId
    ? redemptionWorkflowId(voucher)
    : claimId(voucher.serialNumber, operationId);

/** Start options of a claim's or redemption's workflow, for all callers. */
export const redemptionStart = (
  workflowId: string,
  input: RedeemVoucherInput,
  names: StartNames = {},
) => ({
  ...searchAttributesOf(input.begin.kind, { ...namesOfCompany(companyOf(input)), ...names }),
  workflowId,
  args: [input] as [RedeemVoucherInput],
  workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  staticSummary: describe(input),
});

const companyOf = ({ begin }: RedeemVoucherInput) =>
  begin.kind === 'claim' ? begin.claim.company : begin.redeem.company;

function describe({ begin }: RedeemVoucherInput): string {
  const { company, voucherId } = begin.kind === 'claim' ? begin.claim : begin.redeem;
  const what = begin.kind === 'claim' ? 'Claim' : 'Redemption';
  return `${what} of voucher ${voucherId} by ${company.kind} ${company.id}`;
}

/** Start options of a reversal's workflow, for all callers. */
export const reversalStart = (input: ReverseRedemptionInput, names: StartNames = {}) => ({
  ...searchAttributesOf('reverse', { ...names, ...namesOfCompany(input.command.company) }),
  workflowId: reverseRedemptionId(input.command.redemptionId, input.command.operationId),
  args: [input] as [ReverseRedemptionInput],
  workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  staticSummary:
    `Reversal of redemption ${input.command.redemptionId} by merchant ` +
    `${input.command.company.id}`,
});

/** Start options of a top-up's workflow, for all callers. */
export const topUpStart = (workflowId: string, input: TopUpInput, names: StartNames = {}) => ({
  ...searchAttributesOf('top-up', {
    ...namesOfCompany(input.begin.command.company),
    transactionId: input.begin.command.transactionId,
    ...names,
  }),
  workflowId,
  args: [input] as [TopUpInput],
  workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  staticSummary: `Top-up ${input.begin.command.transactionId} of partner ${input.begin.command.company.id}`,
});

/** The client itself has no time limit. */
const LIMIT_MS = 10_000;

/**
 * Starts a workflow whose id must be unique among running ones; false where one is already running.
 */
export async function startUnlessRunning(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Sends a signal to a workflow; a completed workflow does not need it. */
export async function tellIfRunning(tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Tells a waiting claim whether its code was delivered. The row has it already, and the workflow only
 * shows it: a signal that does not arrive harms nothing.
 */
export async function tellCodeDelivery(
  client: Client,
  { workflowId, isDelivered, reason }: ReportedCode,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  await client
    .withDeadline(Date.now() + LIMIT_MS, () => handle.signal(codeDelivery, { isDelivered, reason }))
    .catch(() => undefined);
}
