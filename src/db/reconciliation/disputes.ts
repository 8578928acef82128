import { type RawBuilder, sql } from 'kysely';

/**
 * SQL condition on a row of `redemptions` or `topup_attempts` by its alias: a provider says something else of it
 * than our books, so that it may have done it, and nobody has cleared that. It is the provider that has it, or one that
 * was asked before that one.
 */
export const isDisputed = (row: string) => sql<boolean>`(
  ${sql.ref(`${row}.disagreement`)} is not null or exists (
    select from provider_failovers as failover
    where failover.operation_id = ${sql.ref(`${row}.operation_id`)} and failover.settled_at is null
      and (failover.done_at is not null
        or failover.disagreement is not null and failover.disagreement_settled_at is null)))`;

/**
 * SQL expression: a payment of the voucher that was refused may have been made, or was made late, and nobody has settled
 * that. What is paid meanwhile could be paid twice. The condition is no `where`, for which PostgreSQL may choose an index
 * of refused payments.
 */
export const hasDisputedPayment = (voucherId: number) => sql<boolean>`coalesce((
  select bool_or(${isDisputedRefusal('payment')})
  from redemptions as payment where payment.voucher_id = ${voucherId}), false)`;

/** SQL condition: the same of one row of `redemptions`. */
const isDisputedRefusal = (row: string) =>
  sql<boolean>`(${sql.ref(`${row}.status`)} = 'VOIDED' and ${isUnsettled(row)})`;

/** SQL condition on a row of `redemptions`: the same, or what a provider says of a payment that was made. */
export const isDisputedEnd = (row: string) =>
  sql<boolean>`(${sql.ref(`${row}.status`)} <> 'HELD' and ${isUnsettled(row)})`;

const isUnsettled = (row: string) => sql<boolean>`(${isDisputed(row)}
  or ${sql.ref(`${row}.contradicted_at`)} is not null and ${sql.ref(`${row}.settled_by`)} is null)`;

/** SQL source: the providers that did an operation beside the one that has it, and have not given it back. */
export const doneBeside = (operationId: RawBuilder<unknown>) => sql`
  from provider_failovers as failover
  where failover.operation_id = ${operationId} and failover.booked_at is not null
    and failover.settled_by is distinct from 'provider'`;
