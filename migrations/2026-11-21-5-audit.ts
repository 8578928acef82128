import { type Kysely, sql } from 'kysely';

/** What operators changed, and under which number the provider sells a package. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_log (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      actor text not null,
      action text not null,
      subject_kind text not null,
      subject_id bigint not null,
      -- What was changed, without secrets.
      details jsonb not null
    );
    create index audit_log_by_subject on audit_log (subject_kind, subject_id, id);
    create trigger audit_log_append_only before update or delete on audit_log
      for each row execute function refuse_change();
    create trigger audit_log_no_truncate before truncate on audit_log
      for each statement execute function refuse_change();

    -- Null: not sold by the provider, so that a package cannot be bought yet.
    alter table products add column provider_product_id integer
      check (provider_product_id > 0);
  `.execute(database);
}
