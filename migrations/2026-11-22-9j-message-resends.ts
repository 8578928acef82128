import { type Kysely, sql } from 'kysely';

/**
 * Messages that a person asked to send again. Each is a message of its own, which names the one whose
 * text it repeats; a text message itself is still sent at most once.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table message_resends (
      message_id bigint primary key references messages,
      original_id bigint not null references messages,
      -- The operation that asked for it.
      operation_id text not null,
      created_at timestamptz not null default now()
    );
    create index message_resends_by_original on message_resends (original_id, message_id);
    create index message_resends_by_operation on message_resends (operation_id, message_id);
  `.execute(database);
}
