import { type Kysely, sql } from 'kysely';

/**
 * Selling prices get a version for each partner, by which counts of them are remembered, instead of
 * the one of all reference data: a partner that sets prices makes nobody else count anew or wait.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    drop trigger partner_gift_denomination_prices_version on partner_gift_denomination_prices;
    drop trigger partner_gift_denomination_prices_version_on_truncate
      on partner_gift_denomination_prices;

    -- A partner whose prices have not changed since has no row, and the version 1.
    create table price_list_versions (
      partner_id bigint primary key references partners,
      version bigint not null,
      raised_by xid8 not null
    );
    create function raise_price_list_versions() returns trigger language plpgsql as $$
    begin
      -- In the order of the ids, so that two statements cannot wait for each other.
      insert into price_list_versions (partner_id, version, raised_by)
        select distinct partner_id, 2, pg_current_xact_id() from changed order by partner_id
        on conflict (partner_id) do update
          set version = price_list_versions.version + 1, raised_by = excluded.raised_by
          where price_list_versions.raised_by <> excluded.raised_by;
      return null;
    end $$;
    create trigger prices_raise_version_on_insert
      after insert on partner_gift_denomination_prices referencing new table as changed
      for each statement execute function raise_price_list_versions();
    create trigger prices_raise_version_on_update
      after update on partner_gift_denomination_prices referencing new table as changed
      for each statement execute function raise_price_list_versions();
    create trigger prices_raise_version_on_delete
      after delete on partner_gift_denomination_prices referencing old table as changed
      for each statement execute function raise_price_list_versions();
  `.execute(database);
}
