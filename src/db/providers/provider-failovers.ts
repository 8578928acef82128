import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';
import { firstInquiry } from '../reconciliation/refusal-inquiries.ts';

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
  /** When the first one said that it did it after all (ISO 8601), and its reference. */
  readonly doneAt: string | null;
  readonly providerReference: string | null;
  /** The deviating content that the first one has, and since when it says so (ISO 8601). */
  readonly disagreement: string | null;
  readonly disagreedAt: string | null;
}

/** SQL expression: the failovers of a payment, a top-up or a message, in their order. */
export const failoversOf = (
  column: 'operation_id' | 'message_id',
  subject: RawBuilder<unknown>,
): RawBuilder<readonly Failover[]> => sql`(
  select coalesce(json_agg(json_build_object('from', from_provider, 'to', to_provider,
    'message', failover.message, 'at', failover.at, 'doneAt', failover.done_at,
    'providerReference', failover.provider_reference, 'disagreement', failover.disagreement,
    'disagreedAt', failover.disagreed_at) order by failover.id), '[]')
  from provider_failovers as failover where failover.${sql.ref(column)} = ${subject})`;

/** SQL expression: a first provider has said that it did the operation after all. */
export const isDoneByFirst = (operationId: RawBuilder<unknown>) => sql<boolean>`coalesce((
  select true from provider_failovers as failover
  where failover.operation_id = ${operationId} and failover.done_at is not null limit 1), false)`;

/** Records that another provider is asked next, because the first certainly did nothing. */
export async function addFailover(
  database: Database,
  failover: Subject & {
    readonly from: string;
    readonly to: string;
    readonly message: string;
    /** Whether the first one is asked later whether it did nothing, which it must be able to say. */
    readonly isAskedLater?: boolean;
  },
): Promise<void> {
  await database
    .insertInto('provider_failovers')
    .values({
      operation_id: failover.operationId ?? null,
      message_id: failover.messageId ?? null,
      from_provider: failover.from,
      to_provider: failover.to,
      message: failover.message,
      recheck_at: failover.isAskedLater ? firstInquiry : null,
    })
    .execute();
}
