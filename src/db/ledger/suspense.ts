import { sql } from 'kysely';
import { doneBeside } from '../reconciliation/disputes.ts';
import type { LedgerAccountsTable } from '../schema/all-tables.ts';

/** An operation in suspense after a changed answer of its provider. */
export interface SuspenseCase {
  readonly kind: 'payment' | 'top-up';
  readonly operationId: string;
  readonly foundAt: Date;
  readonly partnerId: number;
  /** Our reference towards the provider. */
  readonly reference: string;
  readonly provider: string;
  /** Providers that did it beside that one, and have not given it back. */
  readonly doneBeside: string | null;
  /** Decimal string: the amount that the provider got or reversed. */
  readonly amount: string;
  /** Of a top-up: its number and the attempt. */
  readonly topupId: number | null;
  readonly attempt: number | null;
  /** Of a payment: the redemption's reference, and the voucher's serial number. */
  readonly redemptionReference: string | null;
  readonly serialNumber: string | null;
  /** Who was paid. */
  readonly merchantId: number | null;
  readonly settledAt: Date | null;
  /** The account of its settlement. */
  readonly settledAccount: LedgerAccountsTable['kind'] | null;
}

/** The parties that a case can be settled with. */
export const suspenseParties = ['partner', 'platform', 'provider'] as const;
export type SuspenseParty = (typeof suspenseParties)[number];

/** The account that pays or receives; for the partner, the wallet of the operation. */
export function suspenseAccountOf(
  party: SuspenseParty,
  kind: SuspenseCase['kind'],
): LedgerAccountsTable['kind'] {
  const isPayment = kind === 'payment';
  if (party === 'partner') return isPayment ? 'gift' : 'airtime';
  if (party === 'platform') return 'service-fees';
  return isPayment ? 'mobile-money-clearing' : 'airtime-clearing';
}

/** The party of a settlement; undefined while the case is open. */
export const settledWith = ({ kind, settledAccount }: SuspenseCase): SuspenseParty | undefined =>
  suspenseParties.find((party) => suspenseAccountOf(party, kind) === settledAccount);

/** The subject of a case for people. */
export const subjectOf = (
  one: Pick<SuspenseCase, 'kind' | 'redemptionReference' | 'serialNumber' | 'topupId' | 'attempt'>,
): string =>
  one.kind === 'payment'
    ? `payment of redemption ${one.redemptionReference}, voucher ${one.serialNumber}`
    : `top-up ${one.topupId}, attempt ${one.attempt}`;

/** The columns of a case, for a transfer `booked`. */
export const suspenseColumns = sql`
  case when redemptions.id is null then 'top-up' else 'payment' end as kind,
  booked.operation_id as "operationId", booked.created_at as "foundAt",
  coalesce(vouchers.partner_id, topups.partner_id) as "partnerId",
  coalesce(redemptions.payment_reference::text, attempt.reference) as reference, booked.amount,
  coalesce(redemptions.provider, attempt.provider) as provider,
  (select string_agg(from_provider, ', ' order by failover.id)
    ${doneBeside(sql`booked.operation_id`)}) as "doneBeside",
  attempt.topup_id as "topupId", attempt.attempt,
  redemptions.platform_reference as "redemptionReference",
  vouchers.serial_number as "serialNumber", redemptions.merchant_id as "merchantId",
  settlement.created_at as "settledAt"`;

/** Joins of its subject, and of the transfer that settled it. */
export const suspenseJoins = (settlementStep: string) => sql`
  left join redemptions on redemptions.operation_id = booked.operation_id
  left join vouchers on vouchers.id = redemptions.voucher_id
  left join topup_attempts as attempt on attempt.operation_id = booked.operation_id
  left join topups on topups.id = attempt.topup_id
  left join ledger_transfers as settlement on settlement.operation_id = booked.operation_id
    and settlement.step = ${settlementStep}`;
