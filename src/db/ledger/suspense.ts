import { sql } from 'kysely';
import type { LedgerAccountsTable } from '../schema/all-tables.js';

/** What stands in suspense because a provider's later word was another than its first. */
export interface SuspenseCase {
  readonly kind: 'payment' | 'top-up';
  readonly operationId: string;
  readonly foundAt: Date;
  readonly partnerId: number;
  /** Our reference towards the provider. */
  readonly reference: string;
  /** Decimal string: what the provider got, or took back. */
  readonly amount: string;
  /** Of a top-up: the number that the partner knows, and its attempt. */
  readonly topupId: number | null;
  readonly attempt: number | null;
  /** Of a payment: the redemption's reference, and the voucher's serial number. */
  readonly redemptionReference: string | null;
  readonly serialNumber: string | null;
  readonly settledAt: Date | null;
  /** The account that it was settled with. */
  readonly settledAccount: LedgerAccountsTable['kind'] | null;
}

/** Between whom and suspense an amount is settled. */
export const suspenseParties = ['partner', 'platform', 'provider'] as const;
export type SuspenseParty = (typeof suspenseParties)[number];

/** The account that pays or gets it: of the partner the wallet that paid, or should have. */
export function suspenseAccountOf(
  party: SuspenseParty,
  kind: SuspenseCase['kind'],
): LedgerAccountsTable['kind'] {
  const isPayment = kind === 'payment';
  if (party === 'partner') return isPayment ? 'gift' : 'airtime';
  if (party === 'platform') return 'service-fees';
  return isPayment ? 'mobile-money-clearing' : 'airtime-clearing';
}

/** With whom a case was settled; undefined while it is open. */
export const settledWith = ({ kind, settledAccount }: SuspenseCase): SuspenseParty | undefined =>
  suspenseParties.find((party) => suspenseAccountOf(party, kind) === settledAccount);

/** What it is about, as people name it. */
export const subjectOf = (one: SuspenseCase): string =>
  one.kind === 'payment'
    ? `payment of redemption ${one.redemptionReference}, voucher ${one.serialNumber}`
    : `top-up ${one.topupId}, attempt ${one.attempt}`;

/** Its columns, of a transfer `booked`. */
export const suspenseColumns = sql`
  case when redemptions.id is null then 'top-up' else 'payment' end as kind,
  booked.operation_id as "operationId", booked.created_at as "foundAt",
  coalesce(vouchers.partner_id, topups.partner_id) as "partnerId",
  coalesce(redemptions.payment_reference::text, attempt.reference) as reference, booked.amount,
  attempt.topup_id as "topupId", attempt.attempt,
  redemptions.platform_reference as "redemptionReference",
  vouchers.serial_number as "serialNumber", settlement.created_at as "settledAt"`;

/** What it belongs to, and the transfer that settled it, as joins. */
export const suspenseJoins = (settlementStep: string) => sql`
  left join redemptions on redemptions.operation_id = booked.operation_id
  left join vouchers on vouchers.id = redemptions.voucher_id
  left join topup_attempts as attempt on attempt.operation_id = booked.operation_id
  left join topups on topups.id = attempt.topup_id
  left join ledger_transfers as settlement on settlement.operation_id = booked.operation_id
    and settlement.step = ${settlementStep}`;
