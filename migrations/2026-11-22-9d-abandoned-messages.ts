import { type Kysely, sql } from 'kysely';

/**
 * The sweep looks for messages that no workflow finishes any more. Nearly all messages are settled, so
 * their number does not matter to these indexes.
 */
export const indexes = {
  messages_unsettled: {
    table: 'messages',
    columns: '(id) where settled_at is null',
  },
  invitation_messages_unsettled: {
    table: 'invitation_messages',
    columns: '(invitation_id) where settled_at is null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
  // A message that went back into the queue kept the time at which it had come from there.
  await sql`
    update messages set settled_at = null
    where status in ('QUEUED', 'SENDING') and settled_at is not null
  `.execute(database);
}
