import { type Refusal, refuse } from '../refusals.ts';
import { refuseDisputed, type VoucherStatus } from '../voucher.ts';

/** Whether a voucher can be cancelled: it has value, and nothing of it is being paid. */
export const isCancellable = (status: VoucherStatus): boolean =>
  status === 'ACTIVE' || status === 'REDEEM_INITIATED';

/** Facts read for a partner's cancellation, with the voucher's row locked. */
export interface CancellationFacts {
  /** Whether the caller's API key and token are still valid. */
  readonly isAdmitted: boolean;
  readonly partnerIsActive: boolean;
  /** Undefined where the partner has no such voucher. */
  readonly status: VoucherStatus | undefined;
  /** A payment of it could be made twice, as long as its case is open. */
  readonly isBlocked: boolean;
}

/**
 * Checks a cancellation: the first failing rule is the refusal. A cancelled voucher is not refused,
 * because its cancellation is done.
 */
export function refuseCancellation(facts: CancellationFacts): Refusal | undefined {
  if (!facts.isAdmitted) return refuse('token-invalid');
  if (!facts.partnerIsActive) return refuse('account-suspended');
  switch (facts.status) {
    case undefined:
      return refuse('voucher-id-not-found');
    case 'REDEEMED':
      return refuse('voucher-redeemed');
    case 'REDEEM_PROCESSING':
      return refuse('voucher-being-redeemed');
    case 'EXPIRED':
      return refuse('voucher-expired');
    case 'CANCELLED':
      return undefined;
    default:
      return facts.isBlocked ? refuseDisputed() : undefined;
  }
}
