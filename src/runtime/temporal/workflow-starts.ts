import {
  type Client,
  type UpdateDefinition,
  WithStartWorkflowOperation,
  type Workflow,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type {
  RedeemVoucherInput,
  ReverseRedemptionInput,
  TopupInput,
} from '../../../workflows/contracts.ts';
import { inRows } from '../../../workflows/current-details.ts';
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
const WORKFLOW_TASK_TIMEOUT = '5s';

/** The search attributes of a workflow from its start on. */
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
  | 'deliver-webhooks';

/** The company of a command, as the names of a start. */
export const namesOfCompany = ({
  kind,
  id,
}: {
  readonly kind: 'partner' | 'merchant';
  readonly id: number;
}): StartNames => (kind === 'partner' ? { partnerId: id } : { merchantId: id });

/** The search attribute of each name that is one word. */
const attributes = [
  ['partnerId', partnerId],
  ['merchantId', merchantId],
  ['serialNumber', voucherSerial],
  ['transactionId', transactionId],
  ['numberHash', numberHash],
] as const;

/** The search attributes of a start: without a further write of the workflow. */
const searchAttributesOf = (name: StartedOperation, summary: string, names: StartNames) => ({
  typedSearchAttributes: [
    { key: operation, value: name },
    inRows(summary),
    ...attributes
      .filter(([of]) => names[of] !== undefined)
      .map(([of, key]) => ({ key, value: String(names[of]) })),
    ...(names.references?.length ? [{ key: reference, value: [...names.references] }] : []),
  ],
});

/** How a workflow is started, for all callers: they add the task queue, and what to do where it runs. */
export interface WorkflowStart<Run extends Workflow> {
  readonly workflow: string;
  readonly options: ReturnType<typeof searchAttributesOf> & {
    readonly workflowId: string;
    readonly args: Parameters<Run>;
    readonly workflowTaskTimeout: typeof WORKFLOW_TASK_TIMEOUT;
    readonly staticSummary: string;
  };
}

/** The start of a workflow by the name of its function. */
export const startOf = <Run extends Workflow>(
  workflow: string,
  start: {
    readonly operation: StartedOperation;
    readonly workflowId: string;
    readonly args: Parameters<Run>;
    readonly names: StartNames;
    readonly summary: string;
  },
): WorkflowStart<Run> => ({
  workflow,
  options: {
    ...searchAttributesOf(start.operation, start.summary, start.names),
    workflowId: start.workflowId,
    args: start.args,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: start.summary,
  },
});

/** Starts a workflow whose id must be unique among running ones; false where one is already running. */
export async function startUnlessRunning(
  { client, taskQueue }: { readonly client: Client; readonly taskQueue: string },
  { workflow, options }: WorkflowStart<Workflow>,
): Promise<boolean> {
  try {
    const policy = { taskQueue, workflowIdConflictPolicy: 'FAIL' } as const;
    await client.workflow.start<Workflow>(workflow, { ...options, ...policy });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Asks a workflow by an update, which starts it where it does not run; the workflow may go on afterwards. */
export const updateWithStart = <Answer, Input extends unknown[]>(
  { client, taskQueue }: { readonly client: Client; readonly taskQueue: string },
  { workflow, options }: WorkflowStart<Workflow>,
  update: UpdateDefinition<Answer, Input>,
  { args, updateId }: { readonly args: Input; readonly updateId: string },
): Promise<Answer> => {
  // Temporal routes a repeated start to the running workflow.
  const policy = { taskQueue, workflowIdConflictPolicy: 'USE_EXISTING' } as const;
  return client.workflow.executeUpdateWithStart(update, {
    args,
    updateId,
    startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(workflow, {
      ...options,
      ...policy,
    }),
  });
};

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
interface ClaimableVoucher extends RedeemableVoucher {
  readonly serialNumber: string;
}

/** A voucher with the data that its workflows are found by. */
export interface FindableVoucher extends ClaimableVoucher, NamedVoucher {
  /** Decimal string: what is left of it. */
  readonly remaining: string;
  /** The names of its companies. */
  readonly partner: string;
  readonly merchant: string;
}

/**
 * The workflow of a requested claim: that of the live claim if the operation made it, else a new
 * one.
 */
export const claimIdFor = (voucher: ClaimableVoucher, operationId: string): string =>
  voucher.claimOperationId === operationId
    ? redemptionWorkflowId(voucher)
    : claimId(voucher.serialNumber, operationId);

/** The start of a claim's or redemption's workflow. */
export const redemptionStart = (
  workflowId: string,
  input: RedeemVoucherInput,
  names: StartNames = {},
  about?: string,
): WorkflowStart<(input: RedeemVoucherInput) => Promise<unknown>> => {
  const { begin } = input;
  const { company, voucherId } = begin.kind === 'claim' ? begin.claim : begin.redeem;
  const what = begin.kind === 'claim' ? 'Claim' : 'Redemption';
  return startOf('redeemVoucher', {
    operation: begin.kind,
    workflowId,
    args: [input],
    names: { ...namesOfCompany(company), ...names },
    summary: `${what} of ${about ?? `voucher ${voucherId} by ${company.kind} ${company.id}`}`,
  });
};

/** The start of a reversal's workflow. */
export const reversalStart = (
  input: ReverseRedemptionInput,
  names: StartNames = {},
): WorkflowStart<(input: ReverseRedemptionInput) => Promise<unknown>> => {
  const { redemptionId, operationId, company } = input.command;
  return startOf('reverseRedemption', {
    operation: 'reverse',
    workflowId: reverseRedemptionId(redemptionId, operationId),
    args: [input],
    names: { ...names, ...namesOfCompany(company) },
    summary: `Reversal of redemption ${redemptionId} by merchant ${company.id}`,
  });
};

/** The start of a top-up's workflow. */
export const topupStart = (
  workflowId: string,
  input: TopupInput,
  names: StartNames = {},
): WorkflowStart<(input: TopupInput) => Promise<unknown>> => {
  const { company, transactionId: id } = input.begin.command;
  return startOf('topup', {
    operation: 'top-up',
    workflowId,
    args: [input],
    names: { ...namesOfCompany(company), transactionId: id, ...names },
    summary: `Top-up ${id} of partner ${company.id}`,
  });
};

/** The client itself has no time limit. */
const LIMIT_MS = 10_000;

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
