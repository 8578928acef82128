import { type Kysely, sql } from 'kysely';

/**
 * The digest of a request beside its effect, where it outlives the operation; requests for a retry,
 * written before their workflow is asked; and whether a caller was told that a top-up was accepted.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table operations add column accepted_at timestamptz;

    -- Null: from before the digest was kept here, and its operation was pruned. No request matches.
    alter table vouchers add column request_digest text;
    update vouchers set request_digest = operations.request_digest
      from operations where operations.id = vouchers.operation_id;
    alter table redemptions add column request_digest text;
    update redemptions set request_digest = operations.request_digest
      from operations where operations.id = redemptions.operation_id;

    create table topup_retries (
      operation_id text primary key,
      topup_id bigint not null references topups,
      -- The attempt that it asks for; another request may have made it.
      attempt integer not null check (attempt > 0),
      -- Null: the number of the attempt before.
      msisdn text,
      -- Null: as above.
      request_digest text,
      created_at timestamptz not null default now(),
      -- Neither begun nor answered.
      is_open boolean not null default true
    );
    create index topup_retries_open on topup_retries (created_at) where is_open;
    create index topup_retries_by_topup on topup_retries (topup_id);
    insert into topup_retries (operation_id, topup_id, attempt, msisdn, request_digest, created_at,
        is_open)
      select made.operation_id, made.topup_id, made.attempt, made.msisdn, operations.request_digest,
        made.created_at, false
      from topup_attempts as made
      join topups on topups.id = made.topup_id
      left join operations on operations.id = made.operation_id
      where made.operation_id <> topups.operation_id;
  `.execute(database);
}
