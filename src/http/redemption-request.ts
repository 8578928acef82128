import { type FoundVoucher, findVoucherByCode } from '../db/vouchers.js';
import type { Company } from '../domain/voucher.js';
import type { Services } from './services.js';

/** A voucher code as `voucherCodeField` leaves it. */
export interface RequestedCode {
  readonly canonical: string | undefined;
}

/**
 * Finds the voucher that a request names. One text that can be no code at all, an unknown code and
 * another partner's voucher are the same: not found.
 */
export async function findRequestedVoucher(
  services: Services,
  company: Company,
  code: RequestedCode,
): Promise<FoundVoucher | undefined> {
  if (code.canonical === undefined) return undefined;
  const digest = services.digests.voucherCode(code.canonical);
  return findVoucherByCode(services.database, company, digest);
}

/** The keyed digest of a submitted code, as workflows may carry it; null where none was sent. */
export const verificationDigest = (
  services: Services,
  code: string | null | undefined,
  voucher: FoundVoucher,
): string | null =>
  code === undefined || code === null || code === ''
    ? null
    : services.digests.verificationCode(code, voucher.id);
