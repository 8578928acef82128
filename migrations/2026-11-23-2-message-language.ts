import { type Kysely, sql } from 'kysely';

/**
 * The language of messages to owners, by the choice of the voucher's partner. A message has the one that
 * was chosen when it was written; null in older rows, which are English.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table partners add column message_language text not null default 'en'
      constraint partners_message_language check (message_language in ('en', 'am'));
    alter table messages add column language text
      constraint messages_language check (language in ('en', 'am'));

    -- A trigger, so that no writer of messages can forget it, and none asks once more.
    create function choose_message_language() returns trigger language plpgsql as $$
    begin
      select message_language into new.language
        from vouchers join partners on partners.id = vouchers.partner_id
        where vouchers.id = new.voucher_id;
      return new;
    end $$;
    create trigger messages_choose_language before insert on messages
      for each row execute function choose_message_language();
  `.execute(database);
}
