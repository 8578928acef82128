import type { MessageResent, VoucherCancelled } from '../../../../workflows/contracts.js';
import type { VoucherRequest } from '../../../operations/later-voucher-operations.js';
import type { OperationResult } from '../../../operations/run-once.js';
import type { OperationServices } from '../../../operations/services.js';
import { callerOf, onceKey, recordOperation, refusedPage } from '../../operate.js';
import { type AccountRequest, idOf, type PageAnswer, PORTAL_PATH } from '../../page.js';
import { problems } from '../../problem-page.js';

/** Carries a sent form's operation on a voucher out, once, and leads back to the voucher. */
export async function operateOnVoucher(
  request: AccountRequest,
  operation: {
    /** As the audit log names it. */
    readonly action: string;
    readonly operate: (
      services: OperationServices,
      request: VoucherRequest,
    ) => Promise<OperationResult<VoucherCancelled | MessageResent>>;
    readonly done: string;
    readonly refused: string;
  },
): Promise<PageAnswer> {
  const [voucherId, key] = [idOf(request), onceKey(request)];
  if (key === undefined) return problems.invalid;
  await recordOperation(request, operation.action, { voucherId });
  const company = callerOf(request);
  const { result } = await operation.operate(request.services, { company, key, voucherId });
  const to = `${PORTAL_PATH}/vouchers/${voucherId}`;
  if (result.ok) return { kind: 'redirect', to, notice: operation.done };
  if (result.reason === 'voucher-id-not-found') return problems.notFound;
  return refusedPage({ title: operation.refused, refusal: result, back: to });
}
