import { CELL } from '../cell.ts';
import { plainCopy } from '../copied-text.ts';
import { parseMoney } from '../money.ts';
import type { NumberBox, StoredNumber } from '../phone.ts';
import { type Refusal, refuse } from '../refusals.ts';

/** The states of a voucher. */
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
  // To REDEEMED: a payment that was made late is charged to the voucher.
  ACTIVE: ['REDEEM_INITIATED', 'REDEEM_PROCESSING', 'REDEEMED', 'EXPIRED', 'CANCELLED'],
  REDEEM_INITIATED: ['ACTIVE', 'REDEEM_PROCESSING'],
  REDEEM_PROCESSING: ['ACTIVE', 'REDEEMED'],
  REDEEMED: ['ACTIVE'],
  EXPIRED: [],
  CANCELLED: [],
};

export type CompanyKind = 'partner' | 'merchant';

/** A company that calls the service. */
export interface Company {
  readonly kind: CompanyKind;
  readonly id: number;
}

/** The company of a person. A person of the service has no company, and is known by the account. */
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

/** An operator who sent a signal without data. */
interface OperatorCredential {
  readonly operatorSignal: 'retry';
}

/** A repair that staff or operators asked for, as long as it is carried out. */
interface RepairCredential {
  readonly repairId: number;
}

/** The authority of a command. It is checked again where money moves. */
type Credential = ApiKeyCredential | PortalCredential | OperatorCredential | RepairCredential;

/**
 * The company that an operation belongs to, and its authority. Without a credential the service
 * only finishes existing operations, such as money on hold whose workflow is gone.
 */
export interface Caller extends Company {
  readonly credential?: Credential;
}

/** Whether staff or operators decide a command, in a repair. */
export const isOfRepair = ({ credential }: Caller): boolean =>
  credential !== undefined && 'repairId' in credential;

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
export const isRedeemableBy = (voucher: VoucherOwnership, merchantId: number): boolean =>
  !voucher.isRestricted || voucher.merchantId === merchantId;

/**
 * The refusal when the issuing partner is suspended: the partner gets "suspended", a merchant gets
 * "not available".
 */
export const refuseForPartner = (company: Company): Refusal =>
  refuse(company.kind === 'partner' ? 'account-suspended' : 'partner-unavailable');

/** The refusal while an open case blocks a voucher: its value could be paid twice. */
export const refuseBlocked = (
  reason: 'redemption-in-progress' | 'voucher-being-redeemed',
): Refusal =>
  refuse(reason, {
    detail: 'its last payment was refused, and may have been made after all; ask support',
  });

/** A voucher with the names by which its workflows are found. */
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

/**
 * Crockford's base32. It has no I, L, O and U, so that people can read a code aloud and copy it.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE = ALPHABET.length;
const RANDOM_CHARACTERS = 14;
/** Sixteen characters with a separator after each, plus some spaces. */
const MAX_WRITTEN_LENGTH = 64;
const CODE = new RegExp(`^([${ALPHABET}]{${RANDOM_CHARACTERS + 1}})[${ALPHABET}]$`);

/**
 * Makes a voucher code of 14 random bytes: the cell, 5 bits of each byte (70 random bits), and a check character.
 * Throws a RangeError for any other number of bytes.
 */
export function voucherCodeFromRandom(bytes: Uint8Array): string {
  if (bytes.length !== RANDOM_CHARACTERS) throw new RangeError('A voucher code needs 14 bytes.');
  const checked = CELL + Array.from(bytes, (byte) => ALPHABET.charAt(byte % BASE)).join('');
  return checked + checkCharacter(checked);
}

/** "XXXX-XXXX-XXXX-XXXX", as people and API callers see it. */
export function formatVoucherCode(code: string): string {
  return (code.match(/.{4}/g) ?? []).join('-');
}

/**
 * Reads a code as people write it: case, spaces and hyphens are ignored, O is 0, I and L are 1.
 * Answers the 16 canonical characters, or undefined where the check character is wrong.
 */
export function parseVoucherCode(text: string): string | undefined {
  if (text.length > MAX_WRITTEN_LENGTH) return undefined;
  const code = plainCopy(text)
    .replace(/[ -]/g, '')
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  const checked = CODE.exec(code)?.[1];
  return checked && code === checked + checkCharacter(checked) ? code : undefined;
}

/** Luhn mod 32: detects every wrong character and nearly every swap of neighbours. */
function checkCharacter(checked: string): string {
  let sum = 0;
  for (let index = 0; index < checked.length; index += 1) {
    const value = ALPHABET.indexOf(checked.charAt(checked.length - 1 - index));
    const weighted = index % 2 === 0 ? value * 2 : value;
    sum += Math.floor(weighted / BASE) + (weighted % BASE);
  }
  return ALPHABET.charAt((BASE - (sum % BASE)) % BASE);
}

/** The facts that a generation is decided by; a missing merchant, denomination or price is null. */
export interface GenerationFacts {
  readonly hasAccess: boolean;
  readonly merchantId: number | null;
  /** Decimal strings. */
  readonly denominationAmount: string | null;
  readonly sellingPriceUsd: string | null;
  readonly giftBalance: string;
}

/** Checks a generation: the first failing rule is the refusal; undefined permits it. */
export function refuseGeneration(facts: GenerationFacts): Refusal | undefined {
  const { merchantId, denominationAmount, sellingPriceUsd } = facts;
  if (!facts.hasAccess) return refuse('product-not-accessible');
  if (denominationAmount === null) return refuse('denomination-not-found');
  if (merchantId === null) return refuse('merchant-not-found');
  if (sellingPriceUsd === null) return refuse('price-not-defined');
  if (parseMoney(facts.giftBalance) < parseMoney(denominationAmount))
    return refuse('money-insufficient');
  return undefined;
}

/** Whether a voucher can be cancelled: it has value, and nothing of it is being paid. */
export const isCancellable = (status: VoucherStatus): boolean =>
  status === 'ACTIVE' || status === 'REDEEM_INITIATED';

/** The facts about a voucher that decide a cancellation. */
interface CancellationFacts {
  /** Undefined where the partner has no such voucher. */
  readonly status: VoucherStatus | undefined;
  /** An open case blocks the voucher: a payment could be made twice. */
  readonly isBlocked: boolean;
}

/** Checks a cancellation. A cancelled voucher is not refused: its cancellation is done. */
export function refuseCancellation(voucher: CancellationFacts): Refusal | undefined {
  switch (voucher.status) {
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
      return voucher.isBlocked ? refuseBlocked('voucher-being-redeemed') : undefined;
  }
}

/** The most lines of one order. */
export const BULK_LINES = 10_000;

export const bulkLineStatuses = ['PENDING', 'GENERATED', 'REFUSED', 'CANCELLED'] as const;
export type BulkLineStatus = (typeof bulkLineStatuses)[number];

export const bulkOrderStatuses = ['RUNNING', 'CANCELLING', 'COMPLETED', 'CANCELLED'] as const;
export type BulkOrderStatus = (typeof bulkOrderStatuses)[number];

/** The state of an order: it follows from its lines and from the request to cancel it. */
export function bulkOrderStatus(order: {
  readonly ended_at: Date | null;
  readonly cancel_requested_at: Date | null;
  /** Lines that the cancellation kept from being generated. */
  readonly cancelled: number;
}): BulkOrderStatus {
  if (order.ended_at === null) return order.cancel_requested_at ? 'CANCELLING' : 'RUNNING';
  return order.cancelled > 0 ? 'CANCELLED' : 'COMPLETED';
}
