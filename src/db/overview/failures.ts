import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import { type Days, isWithin } from '../days.ts';

/** Failures of one reason. */
export interface FailureCount {
  /** What the provider or the service said; null where it said nothing. */
  readonly reason: string | null;
  readonly count: number;
}

/** Reasons at most; the rest has no place in an overview. */
const REASONS = 5;

/** Why a partner's top-ups of some days failed, the most frequent reason first. */
export async function topupFailures(
  database: Database,
  partnerId: number,
  days: Days,
): Promise<FailureCount[]> {
  const { rows } = await sql<FailureCount>`
    select message as reason, count(1) as count from topups
    where partner_id = ${partnerId} and status = 'FAILED' and ${isWithin(sql`created_at`, days)}
    group by message order by count(1) desc, message limit ${REASONS}`.execute(database);
  return rows;
}

/** Why payments to a merchant of some days were refused, the most frequent reason first. */
export async function paymentFailures(
  database: Database,
  merchantId: number,
  days: Days,
): Promise<FailureCount[]> {
  const { rows } = await sql<FailureCount>`
    select provider_message as reason, count(1) as count from redemptions
    where merchant_id = ${merchantId} and status = 'VOIDED' and not is_done
      and ${isWithin(sql`created_at`, days)}
    group by provider_message order by count(1) desc, provider_message limit ${REASONS}`.execute(
    database,
  );
  return rows;
}
