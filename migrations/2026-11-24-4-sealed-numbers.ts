import { type Kysely, sql } from 'kysely';

/**
 * Phone numbers are sealed in the columns that they are in: "hash.masked.keyId.box", where they were
 * "+251911000001". The part before the first dot finds a number, sealed or in clear. Before this
 * migration the indexes are built concurrently; in an empty database the migration itself builds
 * them.
 */
export const indexes = {
  messages_by_number_key: {
    table: 'messages',
    columns: "(split_part(msisdn, '.', 1), created_at)",
  },
  // What still has a number, by its age.
  messages_with_number: {
    table: 'messages',
    columns: "(created_at) where msisdn <> 'erased'",
  },
  topups_with_number: { table: 'topups', columns: "(created_at) where msisdn <> 'erased'" },
  bulk_lines_with_number: {
    table: 'bulk_lines',
    columns: "(settled_at) where owner_msisdn <> 'erased'",
  },
  ended_vouchers_with_number: {
    table: 'vouchers',
    columns:
      "(expires_at) where owner_msisdn <> 'erased' and status in ('REDEEMED', 'EXPIRED', 'CANCELLED')",
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
  await sql`
    -- Since when new numbers are sealed. Where companies exist, processes of the release before may
    -- run, which read numbers in clear: an operator begins when they have ended.
    create table number_storage (
      id boolean primary key default true check (id),
      sealed_since timestamptz
    );
    insert into number_storage (sealed_since)
      select case when exists (select from partners) or exists (select from merchants)
        then null else now() end;

    create or replace function masked_msisdn(msisdn text) returns text language sql immutable as $$
      select case when msisdn like '%.%' then split_part(msisdn, '.', 2)
        when msisdn = 'erased' then msisdn
        when length(msisdn) >= 11
        then left(msisdn, 5) || repeat('*', greatest(length(msisdn) - 8, 3)) || right(msisdn, 3)
        else left(msisdn, 2) || repeat('*', greatest(length(msisdn) - 3, 3)) || right(msisdn, 1) end
    $$;
  `.execute(database);
}
