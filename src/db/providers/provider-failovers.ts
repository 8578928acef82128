import type { Database } from '../connection.js';

type Subject =
  | { readonly operationId: string; readonly messageId?: undefined }
  | { readonly messageId: number; readonly operationId?: undefined };

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
