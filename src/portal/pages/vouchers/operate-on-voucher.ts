import type { MessageResent, VoucherCancelled } from '../../../../workflows/contracts.ts';
import { findVoucherDetail, type VoucherDetail } from '../../../db/vouchers/voucher-detail.ts';
import type { VoucherRequest } from '../../../operations/later-voucher-operations.ts';
import type { OperationResult } from '../../../operations/run-once.ts';
import type { OperationServices } from '../../../operations/services.ts';
import { confirmation } from '../../layout/parts.ts';
import { callerOf, onceField, onceKey, recordOperation, refusedPage } from '../../operate.ts';
import { type AccountRequest, idOf, type PageAnswer, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';

/** What a person is asked before an operation on a voucher, or why there is nothing to ask. */
type Question =
  | Pick<Parameters<typeof confirmation>[0], 'title' | 'text' | 'button' | 'isHarmless'>
  | { readonly notice: string };

/** Asks for the confirmation of an operation on a voucher, which the form sends to `path`. */
export async function askAboutVoucher(
  request: AccountRequest,
  path: 'cancel' | 'resend',
  ask: (voucher: VoucherDetail) => Question | Promise<Question>,
): Promise<PageAnswer> {
  const { services, session, formToken } = request;
  const company = { partnerId: session.company.id };
  const voucher = await findVoucherDetail(services.database, idOf(request), company);
  if (!voucher) return problems.notFound;
  const back = `${PORTAL_PATH}/vouchers/${voucher.id}`;
  const question = await ask(voucher);
  if ('notice' in question) return { kind: 'redirect', to: back, notice: question.notice };
  const action = `${back}/${path}`;
  return confirmation({ ...question, action, formToken, fields: onceField(), back });
}

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
    /** The notice where nobody knows whether the message was sent. */
    readonly sending?: string;
    readonly refused: string;
  },
): Promise<PageAnswer> {
  const [voucherId, key] = [idOf(request), onceKey(request)];
  if (key === undefined) return problems.invalid;
  await recordOperation(request, operation.action, { voucherId });
  const company = callerOf(request);
  const { result } = await operation.operate(request.services, { company, key, voucherId });
  const to = `${PORTAL_PATH}/vouchers/${voucherId}`;
  if (result.ok) {
    const { done, sending = done } = operation;
    const isUnknown = 'sending' in result && result.sending === 'unknown';
    return { kind: 'redirect', to, notice: isUnknown ? sending : done };
  }
  if (result.reason === 'voucher-id-not-found') return problems.notFound;
  return refusedPage({ title: operation.refused, refusal: result, back: to });
}
