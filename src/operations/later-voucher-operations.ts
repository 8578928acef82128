import type { MessageResent, VoucherCancelled } from '../../workflows/contracts.ts';
import { findVoucherNames } from '../db/support-search.ts';
import type { Caller } from '../domain/vouchers/voucher.ts';
import { identify, type OperationResult, runOnce } from './run-once.ts';
import type { OperationServices } from './services.ts';

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
  runOnce(services, identityOf(services, 'cancel-voucher', request), async (as, deadline) =>
    services.workflows.cancel(
      { ...as, voucherId: request.voucherId },
      await namesOf(services, request),
      deadline,
    ),
  );

/** Sends the message that the owner of a partner's voucher may miss once more. */
export const resendMessageOnce = (
  services: OperationServices,
  request: VoucherRequest,
): Promise<OperationResult<MessageResent>> =>
  runOnce(services, identityOf(services, 'resend-message', request), async (as, deadline) =>
    services.workflows.resend(
      { ...as, voucherId: request.voucherId },
      await namesOf(services, request),
      deadline,
    ),
  );

const namesOf = ({ database }: OperationServices, { voucherId, company }: VoucherRequest) =>
  findVoucherNames(database, { voucherId, partnerId: company.id });

const identityOf = (
  services: OperationServices,
  kind: 'cancel-voucher' | 'resend-message',
  { company, key, voucherId }: VoucherRequest,
) => identify(services, { company, kind, key, content: { voucherId } });
