import { type Kysely, sql } from 'kysely';

/** Requests without a key whose callers were told to repeat them, and what they came to. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table operations drop column caller_left;
    alter table operations add column settled_at timestamptz;
    create index operations_redeeming_by_content
      on operations (company_kind, company_id, request_digest) where kind = 'redeem-gift';

    create table left_requests (
      company_kind text not null check (company_kind in ('partner', 'merchant')),
      company_id bigint not null,
      request_digest text not null,
      -- When the first of the callers who were told to repeat had begun to wait.
      left_at timestamptz not null,
      -- When the first of them came back. Null: nobody has yet.
      taken_at timestamptz,
      primary key (company_kind, company_id, request_digest)
    );
    create index left_requests_by_age on left_requests (left_at);
  `.execute(database);
}
