import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.js';

type Subject =
  | { readonly operationId: string; readonly messageId?: undefined }
  | { readonly messageId: number; readonly operationId?: undefined };

/** A provider that certainly did nothing, and who was asked next. */
export interface Failover {
  readonly from: string;
  readonly to: string;
  readonly message: string;
  /** ISO 8601 */
  readonly at: string;
}

/** SQL expression: the failovers of a payment, a top-up or a message, in their order. */
export const failoversOf = (
  column: 'operation_id' | 'message_id',
  subject: RawBuilder<unknown>,
): RawBuilder<readonly Failover[]> => sql`(
  select coalesce(json_agg(json_build_object('from', from_provider, 'to', to_provider,
    'message', failover.message, 'at', failover.at) order by failover.id), '[]')
  from provider_failovers as failover where failover.${sql.ref(column)} = ${subject})`;

/** Records that another provider is asked next, because the first certainly did nothing. */
export async function addFailover(
  database: Database,
  failover: Subject & { readonly from: string; readonly to: string; readonly message: string },
): Promise<void> {
  await database
    .insertInto('provider_failovers')
    .values({
      operation_id: failover.operationId ?? null,
      message_id: failover.messageId ?? null,
      from_provider: failover.from,
      to_provider: failover.to,
      message: failover.message,
    })
    .execute();
}
