import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';

/** A provider that certainly did not send a message, and who was asked next. */
export interface MessageFailover {
  readonly from: string;
  readonly to: string;
  readonly message: string;
  /** ISO 8601 */
  readonly at: string;
}

/** SQL expression: the failovers of a message, in their order. */
export const messageFailovers = (
  messageId: RawBuilder<unknown>,
): RawBuilder<readonly MessageFailover[]> => sql`(
  select coalesce(json_agg(json_build_object('from', from_provider, 'to', to_provider,
    'message', failover.message, 'at', failover.at) order by failover.id), '[]')
  from message_failovers as failover where failover.message_id = ${messageId})`;

/** Records that another provider is asked to send a message. */
export async function addMessageFailover(
  database: Database,
  failover: Omit<MessageFailover, 'at'> & { readonly messageId: number },
): Promise<void> {
  await database
    .insertInto('message_failovers')
    .values({
      message_id: failover.messageId,
      from_provider: failover.from,
      to_provider: failover.to,
      message: failover.message,
    })
    .execute();
}
