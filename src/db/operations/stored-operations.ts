import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';
import { providerReferenceOf } from '../positions/placements.ts';
import type { OperationStatus } from '../schema/all-tables.ts';

/** The keyed digest of a request's content. */
export interface RequestDigest {
  readonly requestDigest: string;
}

/** An operation as stored, or as reconstructed from its effect. */
export interface StoredOperation {
  readonly status: OperationStatus;
  readonly request_id: string;
  readonly request_digest: string;
  readonly outcome: unknown;
  /** Null for an effect whose operation was pruned. */
  readonly age_seconds?: number | null;
}

/** Whether a stored digest belongs to this request. */
export const isSameRequest = (digest: string, request: RequestDigest): boolean =>
  digest === request.requestDigest;

/** An effect does not record which sending of its request made it. */
const nobody = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/** The outcome of a top-up's attempt, as its operation answered. */
const attemptStatus = sql`case made.status when 'POSTED' then 'SUCCEEDED'
  when 'VOIDED' then 'FAILED' else 'RUNNING' end`;

const attemptOutcome = sql`case made.status
  when 'POSTED' then jsonb_build_object('ok', true, 'transactionId', made.topup_id,
    'referenceNumber', coalesce(${providerReferenceOf(sql`made.operation_id`)}, ''))
  when 'VOIDED' then jsonb_build_object('ok', false, 'reason', 'topup-failed',
    'detail', made.provider_message, 'transactionId', made.topup_id) end`;

/**
 * The effect of an operation by its kind, in the columns of a stored operation: pruning deletes the
 * operation, never its effect. A claim has no lasting effect.
 */
const effects: Readonly<Record<string, (operationId: string) => RawBuilder<unknown>>> = {
  'generate-voucher': (operationId) => sql`
    select 'SUCCEEDED' as status, ${nobody} as request_id, request_digest,
      jsonb_build_object('ok', true, 'voucherId', id) as outcome
    from vouchers where operation_id = ${operationId}`,
  'redeem-gift': (operationId) => sql`
    select case status when 'POSTED' then 'SUCCEEDED' when 'VOIDED' then 'FAILED'
        else 'RUNNING' end as status,
      ${nobody} as request_id, request_digest,
      case status
        when 'POSTED' then jsonb_build_object('ok', true,
          'providerReference', ${providerReferenceOf(sql`redemptions.operation_id`)},
          'platformReference', platform_reference)
        when 'VOIDED' then jsonb_build_object('ok', false, 'reason', 'payment-refused',
          'detail', provider_message) end as outcome
    from redemptions where operation_id = ${operationId}`,
  'reverse-redemption': (operationId) => sql`
    select case status when 'SUCCESS' then 'SUCCEEDED' when 'FAILED' then 'FAILED'
        else 'RUNNING' end as status,
      ${nobody} as request_id, reversal.request_digest,
      case reversal.status
        when 'SUCCESS' then jsonb_build_object('ok', true, 'amount', (
            select (to_merchant + service_fee)::text from redemptions
            where redemptions.id = redemption_id),
          'creditedTo', credited_to, 'providerReference', provider_reference)
        when 'FAILED' then jsonb_build_object('ok', false, 'reason', 'reversal-refused',
          'detail', provider_message) end as outcome
    from redemption_reversals as reversal where operation_id = ${operationId}`,
  'order-vouchers': (operationId) => sql`
    select 'SUCCEEDED' as status, ${nobody} as request_id, request_digest,
      jsonb_build_object('ok', true, 'bulkOrderId', id) as outcome
    from bulk_orders where operation_id = ${operationId}`,
  // The attempt that the operation made, regardless of retries; undefined if it never began.
  'top-up': (operationId) => sql`
    select case when made.status is null and topups.status = 'FAILED' then 'FAILED'
        else ${attemptStatus} end as status,
      ${nobody} as request_id, request_digest,
      case when made.status is null and topups.status = 'FAILED' then
        jsonb_build_object('ok', false, 'reason', 'topup-failed', 'detail', topups.message,
          'transactionId', topups.id)
        else ${attemptOutcome} end as outcome
    from topups
    left join topup_attempts as made on made.operation_id = topups.operation_id
    where topups.operation_id = ${operationId}`,
  // The attempt that the operation made, or joined.
  'retry-topup': (operationId) => sql`
    select ${attemptStatus} as status, ${nobody} as request_id, request_digest,
      ${attemptOutcome} as outcome
    from topup_retries as request
    left join topup_attempts as made
      on made.topup_id = request.topup_id and made.attempt = request.attempt
    where request.operation_id = ${operationId}`,
};

/** SQL expression: the effect as a row or none. */
export const effectOf = (kind: string, operationId: string): RawBuilder<unknown> =>
  effects[kind]?.(operationId) ??
  sql`select null::text as status, ${nobody} as request_id, null::text as request_digest,
    null::jsonb as outcome where false`;

/** SQL expression: the operation as a row or none; the effect of a pruned operation replaces it. */
export const storedOperation = (kind: string, operationId: string): RawBuilder<unknown> => sql`
  select status, request_id, request_digest, outcome,
    extract(epoch from clock_timestamp() - created_at)::float8 as age_seconds
  from operations where id = ${operationId}
  union all
  select effect.status, effect.request_id, effect.request_digest, effect.outcome, null::float8
  from (${effectOf(kind, operationId)}) as effect
  where not exists (select from operations where id = ${operationId})`;

/** The stored operation of a request; undefined for a new request. */
export async function findOperation(
  database: Database,
  kind: string,
  operationId: string,
): Promise<StoredOperation | undefined> {
  const { rows } = await sql<StoredOperation>`${storedOperation(kind, operationId)}`.execute(
    database,
  );
  return rows[0];
}

/** The effect of a completed and pruned operation. */
export async function endedEffect(
  database: Database,
  kind: string,
  operationId: string,
): Promise<StoredOperation | undefined> {
  const { rows } = await sql<StoredOperation>`
    select status, request_id, request_digest, outcome
    from (${effectOf(kind, operationId)}) as effect where status <> 'RUNNING'`.execute(database);
  return rows[0];
}

/** The existing operations with these ids, by id. */
export async function findOperations(
  database: Database,
  operationIds: readonly string[],
): Promise<Map<string, StoredOperation>> {
  const { rows } = await sql<StoredOperation & { id: string }>`
    select id, status, request_id, request_digest, outcome
    from operations where id = any(${operationIds}::text[])`.execute(database);
  return new Map(rows.map((row) => [row.id, row]));
}
