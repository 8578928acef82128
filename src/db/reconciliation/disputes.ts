import { sql } from 'kysely';

/**
 * SQL condition on a row of `redemptions`, or of `topup_attempts` as `try`: a provider says something else of it
 * than our books, so that it may have done it, and nobody has cleared that. It is the provider that has it, or one that
 * was asked before that one.
 */
export const isDisputed = (row: 'redemptions' | 'try') => sql<boolean>`(
  ${sql.ref(`${row}.disagreement`)} is not null or exists (
    select from provider_failovers as failover
    where failover.operation_id = ${sql.ref(`${row}.operation_id`)} and failover.settled_at is null
      and (failover.done_at is not null
        or failover.disagreement is not null and failover.disagreement_settled_at is null)))`;
