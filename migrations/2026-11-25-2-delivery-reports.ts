import { type Kysely, sql } from 'kysely';

/** A report of a provider names a message by the provider's id. */
export const indexes = {
  messages_by_provider_reference: {
    table: 'messages',
    columns: "(provider_reference) where provider_reference <> ''",
  },
};

/** Whether a message that a provider took has reached its phone. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
  await sql`
    -- Null where the provider has not said it.
    alter table messages
      add column delivery text
        constraint messages_delivery check (delivery in ('DELIVERED', 'NOT_DELIVERED')),
      add column delivery_at timestamptz,
      add column delivery_reason text;

    -- Reports that came before the answer of the provider, and so before our row has its id.
    create table early_delivery_reports (
      provider text not null,
      provider_reference text not null,
      delivery text not null check (delivery in ('DELIVERED', 'NOT_DELIVERED')),
      reason text,
      received_at timestamptz not null default clock_timestamp(),
      primary key (provider, provider_reference, delivery)
    );
    create index early_delivery_reports_by_age on early_delivery_reports (received_at);

    -- A trigger, so that no writer of an id can forget it, and the lock makes the answer and the
    -- report follow one another: one of them sees the other.
    create function take_early_delivery_report() returns trigger language plpgsql as $$
    declare
      early record;
    begin
      perform pg_advisory_xact_lock(hashtextextended(new.provider_reference, 0));
      select * into early from early_delivery_reports
        where provider_reference = new.provider_reference
          and provider = coalesce(new.provider, provider)
        order by delivery limit 1;
      if found then
        new.delivery := early.delivery;
        new.delivery_at := early.received_at;
        new.delivery_reason := early.reason;
      end if;
      return new;
    end $$;
    create trigger messages_take_early_delivery_report
      before update of provider_reference on messages for each row
      when (new.provider_reference <> '' and new.provider_reference is distinct from old.provider_reference)
      execute function take_early_delivery_report();
  `.execute(database);
}
