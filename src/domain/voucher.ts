import { type Refusal, refuse } from './errors.js';

/** The states of a voucher (design 5). */
export const voucherStatuses = [
  'ACTIVE',
  'REDEEM_INITIATED',
  'REDEEM_PROCESSING',
  'REDEEMED',
  'EXPIRED',
  'CANCELLED',
] as const;
export type VoucherStatus = (typeof voucherStatuses)[number];

/** The only moves between them. The database refuses any other; a test holds its trigger against this table. */
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

/** What the access token says that a company was let in by. */
interface ApiKeyCredential {
  readonly apiKeyId: number;
  readonly tokenVersion: number;
}

/** An operator who has written a command, or has sent a signal that needs no data. */
type OperatorCredential =
  | { readonly operatorCommandId: number }
  | { readonly operatorSignal: 'retry' };

/** The authority of a command: checked again where it moves money (design 8 and 10). */
type Credential = ApiKeyCredential | OperatorCredential;

/**
 * A company for which something is done, and by whose authority. Without one nothing new is begun:
 * what exists is finished, such as money on hold whose workflow is gone.
 */
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
