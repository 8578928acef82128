import type { Operation, Reason, Surface } from '../../../src/domain/refusals.ts';

/** A row of the specification's tables 7.2 and 7.3, and the reason by which we answer it. */
export interface SpecifiedError {
  readonly surface: Surface;
  readonly operation: Operation;
  readonly statusCode: number;
  readonly meaning: string;
  readonly reason: Reason;
  readonly provenBy: Proof;
}

/**
 * Where requests reach a row: `gifts` are partner-errors.test.ts and merchant-errors.test.ts, the
 * others files of their own; `broken-database` are the rows that need one.
 */
export type Proof = 'gifts' | 'broken-database' | 'topups-and-lists';

type Row = readonly [statusCode: number, meaning: string, reason: Reason, provenBy?: Proof];

const rowsOf = (
  surface: Surface,
  operation: Operation,
  rows: readonly Row[],
): readonly SpecifiedError[] =>
  rows.map(([statusCode, meaning, reason, provenBy = 'gifts']) => ({
    surface,
    operation,
    statusCode,
    meaning,
    reason,
    provenBy,
  }));

const BROKEN = 'broken-database';
const OTHERS = 'topups-and-lists';

/** Every row of the tables 7.2 and 7.3, in the specification's words and order. */
export const specifiedErrors: readonly SpecifiedError[] = [
  ...rowsOf('partner', 'generate-voucher', [
    [400, 'neither merchantId nor merchantIdentifier is specified', 'merchant-unspecified'],
    [404, 'no price defined for the product', 'price-not-defined'],
    [404, 'no access to this product', 'product-not-accessible'],
    [405, 'not enough money', 'money-insufficient'],
  ]),
  ...rowsOf('partner', 'initiate-claim', [
    [404, 'voucher already redeemed', 'voucher-redeemed'],
    [404, 'no voucher with the code', 'voucher-not-found'],
    [403, 'amount more than the remaining voucher amount', 'amount-exceeds-balance'],
  ]),
  ...rowsOf('partner', 'redeem-gift', [
    [404, 'voucher already redeemed', 'voucher-redeemed'],
    [404, 'no voucher with the code', 'voucher-not-found'],
    [403, 'amount more than the remaining voucher amount', 'amount-exceeds-balance'],
    [403, 'verification code missing (voucher not anonymous)', 'verification-code-missing'],
    [403, 'no redemption started by the owner (voucher not anonymous)', 'claim-not-found'],
    [403, 'verification code incorrect (voucher not anonymous)', 'verification-code-incorrect'],
    [403, 'expiration date passed (voucher not anonymous)', 'voucher-expired'],
    [403, 'voucher restricted, merchant cannot be changed', 'voucher-restricted'],
    [404, 'merchantId given but no such merchant', 'merchant-not-found'],
    [404, 'mobile-money provider failed the claim', 'payment-refused'],
  ]),
  ...rowsOf('partner', 'airtime-topup', [
    [404, 'no access to this product', 'product-not-accessible', OTHERS],
    [400, 'not enough money', 'money-insufficient', OTHERS],
  ]),
  ...rowsOf('partner', 'airtime-package-topup', [
    [404, 'no access to this product', 'product-not-accessible', OTHERS],
    [405, 'not enough money', 'money-insufficient', OTHERS],
  ]),
  ...rowsOf('partner', 'list', [[404, 'error envelope', 'page-not-found', OTHERS]]),
  ...rowsOf('merchant', 'initiate-claim', [
    [4041, 'no voucher found with the code', 'voucher-not-found'],
    [4042, 'voucher already redeemed', 'voucher-redeemed'],
    [4091, 'amount exceeds voucher balance', 'amount-exceeds-balance'],
    [5001, 'error fetching merchant service fee', 'service-fee-missing'],
    [5002, 'failed to update voucher status', 'status-not-updated', BROKEN],
    [5004, 'database transaction failed', 'database-failed', BROKEN],
  ]),
  ...rowsOf('merchant', 'redeem-gift', [
    [4031, 'voucher restricted; merchant cannot be changed', 'voucher-restricted'],
    [4032, 'voucher already redeemed', 'voucher-redeemed'],
    [4033, 'verification code missing', 'verification-code-missing'],
    [4034, 'no redemption process initiated', 'claim-not-found'],
    [4035, 'verification code incorrect', 'verification-code-incorrect'],
    [4036, 'voucher expiration date passed', 'voucher-expired'],
    [4041, 'no voucher found with the code', 'voucher-not-found'],
    [4043, 'no merchant found with the given id', 'merchant-not-found'],
    [4044, 'voucher balance insufficient for the transaction', 'balance-insufficient', BROKEN],
    [4045, 'specified partner company not available', 'partner-unavailable'],
    [4091, 'amount exceeds voucher balance', 'amount-exceeds-balance'],
    [4092, 'transaction mismatch; retry', 'redemption-in-progress'],
    [4093, 'reserved balance update failed', 'reserve-not-updated', BROKEN],
    [4094, 'redemption record creation failed', 'redemption-not-recorded', BROKEN],
    [4095, 'reserved balance debit from the company failed', 'reserve-not-debited', BROKEN],
    [4096, 'remaining balance would be negative after the fee', 'balance-negative-after-fee'],
    [5002, 'failed to update voucher status', 'status-not-updated', BROKEN],
    [5003, 'failed to queue the SMS notification', 'message-not-queued', BROKEN],
    [5004, 'database transaction failed', 'database-failed', BROKEN],
    [5031, 'transfer failed; the message carries the provider’s', 'payment-refused'],
  ]),
];

/**
 * Four-digit codes that operations answer beyond their own table of 7.3, with the meaning that the
 * other table gives them.
 */
export const codesBeyondTheTables = {
  'initiate-claim': [4036, 4043, 4045, 4092, 5003, 5031],
  'redeem-gift': [5001],
  'voucher-detail': [4041, 4043, 5001],
} as const satisfies Partial<Record<Operation, readonly number[]>>;
