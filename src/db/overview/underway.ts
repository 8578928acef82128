import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** Payments or top-ups whose outcome is not known yet. */
export interface Underway {
  readonly count: number;
  /** Decimal string of ETB, on hold. */
  readonly amount: string;
}

/** A partner's top-ups on hold, by the index of held attempts. */
export async function topupsUnderway(database: Database, partnerId: number): Promise<Underway> {
  const { rows } = await sql<Underway>`
    select count(1) as count, coalesce(sum(topups.amount), 0)::numeric(20, 6) as amount
    from topup_attempts as try join topups on topups.id = try.topup_id
    where try.status = 'HELD' and topups.partner_id = ${partnerId}`.execute(database);
  return rows[0] ?? NOTHING;
}

/** Payments on hold, of the vouchers of a partner or to a merchant, by the index of held ones. */
export async function paymentsUnderway(
  database: Database,
  company: { readonly kind: 'partner' | 'merchant'; readonly id: number },
): Promise<Underway> {
  const whose =
    company.kind === 'merchant'
      ? sql`redemptions.merchant_id = ${company.id}`
      : sql`(select partner_id from vouchers where vouchers.id = voucher_id) = ${company.id}`;
  const { rows } = await sql<Underway>`
    select count(1) as count, coalesce(sum(to_merchant), 0)::numeric(20, 6) as amount
    from redemptions where status = 'HELD' and ${whose}`.execute(database);
  return rows[0] ?? NOTHING;
}

const NOTHING: Underway = { count: 0, amount: '0' };
