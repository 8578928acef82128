import { sql } from 'kysely';
import type { Refusal } from '../../domain/refusals.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { FORGET_LEFT_REQUESTS_HOURS } from '../pruning.ts';
import { type OperationIdentity, type StoredOutcome, storedOutcome } from './operations.ts';
import type { StoredOperation } from './stored-operations.ts';

/**
 * Several callers may get "repeat the request", and the service cannot distinguish them: after the
 * first repetition, the others have this time to get the same answer.
 */
const RETURN_SECONDS = 60;

const isOver = sql<boolean>`coalesce(
  left_requests.taken_at < now() - make_interval(secs => ${RETURN_SECONDS}::float8), false)`;

const stillProcessing: Refusal = { ok: false, reason: 'still-processing' };

/**
 * Records that a caller without a key got "repeat the request": an identical request will get the
 * outcome of this operation, or of the one that it joined. An operation that has not begun by now
 * never begins, since the caller's next request replaces it.
 */
export async function recordAbandonedRequest(
  database: Database,
  identity: OperationIdentity & { readonly kind: string },
  waitedSeconds: number,
): Promise<void> {
  const { operationId, company, requestId, requestDigest } = identity;
  await sql`
    with unbegun as (
      insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
        status, outcome)
      values (${operationId}, ${company.kind}, ${company.id}, ${identity.kind}, ${requestId}::uuid,
        ${requestDigest}, 'REFUSED', ${JSON.stringify(stillProcessing)}::jsonb)
      on conflict (id) do nothing)
    insert into left_requests (company_kind, company_id, request_digest, left_at)
    values (${company.kind}, ${company.id}, ${requestDigest},
      now() - make_interval(secs => ${waitedSeconds}::float8))
    on conflict (company_kind, company_id, request_digest) do update set
      left_at = case when ${isOver} then excluded.left_at
        else least(left_requests.left_at, excluded.left_at) end,
      taken_at = null`.execute(database);
}

/**
 * The outcome of an abandoned request for its repetition; undefined where there is none, or where
 * its callers have got it, so that this is a new request.
 */
export async function takeAbandonedAnswer<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
): Promise<StoredOutcome<Result> | undefined> {
  const { company } = identity;
  const { rows } = await sql<StoredOperation>`
    with taken as (
      update left_requests set taken_at = coalesce(taken_at, now())
      where company_kind = ${company.kind} and company_id = ${company.id}
        and request_digest = ${identity.requestDigest} and not ${isOver}
        and left_at > now() - make_interval(hours => ${FORGET_LEFT_REQUESTS_HOURS}::int)
      returning company_kind, company_id, request_digest, left_at)
    select status, request_id, operations.request_digest, outcome
    from operations join taken using (company_kind, company_id, request_digest)
    where kind = 'redeem-gift' and status <> 'RUNNING' and settled_at >= left_at
    order by settled_at desc limit 1`.execute(transaction);
  return rows[0] && storedOutcome<Result>(rows[0]);
}
