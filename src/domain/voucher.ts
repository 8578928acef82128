import type { NumberBox, StoredNumber } from './phone.ts';
import { type Refusal, refuse } from './refusals.ts';

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

/**
 * The permitted transitions. A trigger of the database holds the same table; a test compares them.
 */
export const voucherMoves: Readonly<Record<VoucherStatus, readonly VoucherStatus[]>> = {
  // To redeemed: a payment that was made late is charged to it.
  ACTIVE: ['REDEEM_INITIATED', 'REDEEM_PROCESSING', 'REDEEMED', 'EXPIRED', 'CANCELLED'],
  REDEEM_INITIATED: ['ACTIVE', 'REDEEM_PROCESSING'],
  REDEEM_PROCESSING: ['ACTIVE', 'REDEEMED'],
  REDEEMED: ['ACTIVE'],
  EXPIRED: [],
  CANCELLED: [],
};

/** A company that calls the service. */
export interface Company {
  readonly kind: 'partner' | 'merchant';
  readonly id: number;
}

/** The company of a person; a person of the service itself has none, and stands for it with the account. */
export type Employer = Company | { readonly kind: 'staff'; readonly id: number };

/** The API key and token version of an authenticated company. */
interface ApiKeyCredential {
  readonly apiKeyId: number;
  readonly tokenVersion: number;
  /** The key or its company has a daily limit, so that its spending is counted. */
  readonly isLimited?: true;
}

/** A person of the company in the portal, whose role is checked again where money moves. */
interface PortalCredential {
  readonly portalAccountId: number;
}

/** An operator who wrote a command, or who sent a signal without data. */
type OperatorCredential =
  | { readonly operatorCommandId: number }
  | { readonly operatorSignal: 'retry' };

/** A repair that staff or operators asked for, as long as it is carried out. */
interface RepairCredential {
  readonly repairId: number;
}

/** The authority of a command. It is checked again where money moves (design 8 and 10). */
type Credential = ApiKeyCredential | PortalCredential | OperatorCredential | RepairCredential;

/**
 * The company that an operation belongs to, and its authority. Without a credential the service
 * only finishes existing operations, such as money on hold whose workflow is gone.
 */
export interface Caller extends Company {
  readonly credential?: Credential;
}

/** The issuer and the merchant of a voucher. */
export interface VoucherOwnership {
  readonly partnerId: number;
  readonly merchantId: number;
  readonly isRestricted: boolean;
}

/** A partner sees only its own vouchers. */
export const belongsToCaller = (voucher: VoucherOwnership, company: Company): boolean =>
  company.kind === 'merchant' || voucher.partnerId === company.id;

/** A restricted voucher can be redeemed only at its own merchant. */
export const isRedeemableAt = (voucher: VoucherOwnership, merchantId: number): boolean =>
  !voucher.isRestricted || voucher.merchantId === merchantId;

/**
 * The refusal when the issuing partner is suspended: the partner gets "suspended", a merchant gets
 * "not available".
 */
export const refuseForPartner = (company: Company): Refusal =>
  refuse(company.kind === 'partner' ? 'account-suspended' : 'partner-unavailable');

/** The refusal while a refused payment of the voucher may have been made: paid again, it would be paid twice. */
export const refuseDisputed = (): Refusal =>
  refuse('redemption-in-progress', {
    detail: 'its last payment was refused, and may have been made after all; ask support',
  });

/** A voucher with what each workflow about it is found by. */
export interface NamedVoucher {
  readonly partnerId: number;
  readonly merchantId: number;
  readonly serialNumber: string;
  /** Null for an anonymous one. */
  readonly ownerMsisdn: StoredNumber | null;
}

/** The names of a voucher, with the number as its keyed hash; an erased one has none. */
export const namesOfVoucher = (
  { partnerId, merchantId, serialNumber, ownerMsisdn }: NamedVoucher,
  numbers: Pick<NumberBox, 'hashOfStored'>,
) => ({
  partnerId,
  merchantId,
  serialNumber,
  numberHash: ownerMsisdn === null ? undefined : numbers.hashOfStored(ownerMsisdn),
});
