import { type Refusal, refuse } from './errors.js';

/** The states of a voucher and the only moves between them (design 5). */
export type VoucherStatus =
  | 'ACTIVE'
  | 'REDEEM_INITIATED'
  | 'REDEEM_PROCESSING'
  | 'REDEEMED'
  | 'EXPIRED'
  | 'CANCELLED';

/** The database refuses any other move; a test holds its trigger against this table. */
export const voucherMoves: Readonly<Record<VoucherStatus, readonly VoucherStatus[]>> = {
  ACTIVE: ['REDEEM_INITIATED', 'REDEEM_PROCESSING', 'EXPIRED', 'CANCELLED'],
  REDEEM_INITIATED: ['ACTIVE', 'REDEEM_PROCESSING'],
  REDEEM_PROCESSING: ['ACTIVE', 'REDEEMED'],
  REDEEMED: [],
  EXPIRED: [],
  CANCELLED: [],
};

/** A company that calls the service. */
export interface Company {
  readonly kind: 'partner' | 'merchant';
  readonly id: number;
}

/** By what a company was let in: checked again where its request moves money (design 8). */
export interface Credential {
  readonly apiKeyId: number;
  readonly tokenVersion: number;
}

/** A company that calls, with what its token says; support staff act for one without a token. */
export interface Caller extends Company {
  readonly credential?: Credential;
}

/** Whose a voucher is, and where it may be redeemed. */
export interface VoucherOwnership {
  readonly partnerId: number;
  readonly merchantId: number;
  readonly isRestricted: boolean;
}

/** A partner sees its own vouchers only. */
export const belongsToCaller = (voucher: VoucherOwnership, company: Company): boolean =>
  company.kind === 'merchant' || voucher.partnerId === company.id;

/** A restricted voucher is redeemed at its own merchant only. */
export const isRedeemableAt = (voucher: VoucherOwnership, merchantId: number): boolean =>
  !voucher.isRestricted || voucher.merchantId === merchantId;

/** The issuing partner was suspended: it is told so itself, a merchant that it is not available. */
export const refuseForPartner = (company: Company): Refusal =>
  refuse(company.kind === 'partner' ? 'account-suspended' : 'partner-unavailable');
