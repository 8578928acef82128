import type {
  GeneratedVoucher,
  GenerateVoucherCommand,
  MessageResent,
  VoucherCancelled,
} from '../../workflows/contracts.ts';
import { generateVoucherId } from '../../workflows/workflow-ids.ts';
import { outcomeFor } from '../db/operations.ts';
import { findVoucherNames } from '../db/support-search.ts';
import { generatedVoucher } from '../db/vouchers/generation.ts';
import { refuseCountry } from '../domain/phone.ts';
import { type OperationOutcome, refuse } from '../domain/refusals.ts';
import type { Caller } from '../domain/vouchers/voucher.ts';
import { describeError } from '../runtime/process/logger.ts';
import { WorkflowsUnavailableError } from './call-errors.ts';
import {
  identify,
  type OperationResult,
  type OperationServices,
  type RequestIdentity,
  runOnce,
} from './run-once.ts';
import { calls, type OfVoucherIfAny, type WorkflowCall } from './workflow-calls.ts';

/** The row of a new voucher, with its sealed code. */
type VoucherRow = Awaited<ReturnType<typeof generatedVoucher>>;

/** Generates a voucher once, and reads it. */
export async function generateVoucherOnce(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly key: string | undefined;
    /** The content of the digest. */
    readonly content: object;
    readonly voucher: Omit<GenerateVoucherCommand, keyof RequestIdentity>;
  },
): Promise<OperationResult<{ readonly ok: true; readonly voucher: VoucherRow }>> {
  const { company, key, content, voucher } = request;
  const identity = identify(services, { company, kind: 'generate-voucher', key, content });
  const { result, replayed } = await runOnce<GeneratedVoucher>(
    services,
    identity,
    async (as, deadline) => {
      const refusal = refuseCountry(voucher.ownerMsisdn, services.settings.market.servedCountries);
      if (refusal) return outcomeFor<GeneratedVoucher>(identity, refusal);
      services.noteInLog?.({ workflowId: generateVoucherId(as.operationId) });
      return services.workflows.call(calls.generate, { ...as, ...voucher }, deadline);
    },
  );
  if (!result.ok) return { result, replayed };
  try {
    return {
      result: { ok: true, voucher: await readVoucher(services, identity, result) },
      replayed,
    };
  } catch (error) {
    if (identity.hasKey) throw error;
    services.logger.error(describeError(error), 'Could not read a generated voucher');
    return { result: refuse('generation-unknown'), replayed };
  }
}

async function readVoucher(
  { database }: OperationServices,
  { operationId }: RequestIdentity,
  { voucherId }: GeneratedVoucher,
): Promise<VoucherRow> {
  const row = await generatedVoucher(database, voucherId);
  // An answer copied from another workflow must not reveal its voucher code.
  if (row.operation_id !== operationId) throw new WorkflowsUnavailableError(false);
  return row;
}

/** What a partner asks for with one of its vouchers. */
export interface VoucherRequest {
  readonly company: Caller;
  readonly key: string | undefined;
  readonly voucherId: number;
}

/** Cancels a partner's voucher once; what remains of it goes back to the gift wallet. */
export const cancelVoucherOnce = (
  services: OperationServices,
  request: VoucherRequest,
): Promise<OperationResult<VoucherCancelled>> =>
  runOnVoucher(services, 'cancel-voucher', request, calls.cancel);

/** Sends the message that the owner of a partner's voucher may miss once more. */
export const resendMessageOnce = (
  services: OperationServices,
  request: VoucherRequest,
): Promise<OperationResult<MessageResent>> =>
  runOnVoucher(services, 'resend-message', request, calls.resend);

/** Runs an operation on a voucher once, with what its workflow is found by. */
function runOnVoucher<Made extends { readonly ok: true }>(
  services: OperationServices,
  kind: 'cancel-voucher' | 'resend-message',
  { company, key, voucherId }: VoucherRequest,
  call: WorkflowCall<
    OfVoucherIfAny<RequestIdentity & { readonly voucherId: number }>,
    OperationOutcome<Made>
  >,
): Promise<OperationResult<Made>> {
  const identity = identify(services, { company, kind, key, content: { voucherId } });
  return runOnce<Made>(services, identity, async (as, deadline) => {
    const voucher = await findVoucherNames(services.database, {
      voucherId,
      partnerId: company.id,
    });
    const asked = { command: { ...as, voucherId }, voucher };
    return services.workflows.call(call, asked, deadline);
  });
}
