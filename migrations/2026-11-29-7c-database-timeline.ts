import { type Kysely, sql } from 'kysely';

/** The timeline of PostgreSQL that operators have accepted: another one is a promotion or a restore. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table database_timeline (
      is_only boolean primary key default true check (is_only),
      timeline bigint not null,
      accepted_at timestamptz not null default now()
    );
    insert into database_timeline (timeline)
      values (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint);
  `.execute(database);
}
