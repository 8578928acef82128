import { type Kysely, sql } from 'kysely';

/** A report of a provider names a message by the provider's id. */
export const indexes = {
  invitation_messages_by_provider_reference: {
    table: 'invitation_messages',
    columns: "(provider_reference) where provider_reference <> '' and channel = 'SMS'",
  },
};

/** Whether the text message of an invitation has reached its phone, as for other messages. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null where the provider has not said it, and for e-mails.
    alter table invitation_messages
      add column provider text,
      add column delivery text
        constraint invitation_messages_delivery check (delivery in ('DELIVERED', 'NOT_DELIVERED')),
      add column delivery_at timestamptz,
      add column delivery_reason text;

    create trigger invitation_messages_take_early_delivery_report
      before update of provider_reference on invitation_messages for each row
      when (new.channel = 'SMS' and new.provider_reference <> ''
        and new.provider_reference is distinct from old.provider_reference)
      execute function take_early_delivery_report();
  `.execute(database);
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
