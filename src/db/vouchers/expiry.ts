import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.js';
import {
  type Database,
  type DatabaseTransaction,
  isDefiniteDatabaseError,
  violates,
} from '../connection.js';
import { returnReserve } from '../ledger/holds.js';
import { balanceConstraint } from '../ledger/ledger.js';

/** The partners whose vouchers expire: all except some, or only one. */
type Partners = { readonly except: readonly number[] } | { readonly only: number };

/** A partner's vouchers that are due, and what its books hold for them. */
export interface DueVouchers {
  readonly companyName: string;
  /** Number and total value of the due vouchers. */
  readonly vouchers: number;
  readonly amount: string;
  /** The balance of its reserve. */
  readonly reserved: string;
  /** Whether the reserve covers them. */
  readonly isCovered: boolean;
  /** When the last of them was due, as PostgreSQL writes it. */
  readonly dueUntil: string;
}

/** A partner whose vouchers are due and cannot expire. */
export interface StuckPartner extends Omit<DueVouchers, 'isCovered'> {
  readonly partnerId: number;
  readonly reason: 'reserve-too-small' | 'refused-by-database';
}

// The subquery is evaluated once, so the index can find the rows: clock_timestamp() alone is volatile.
const isDue = (
  partners: Partners,
) => sql`status = 'ACTIVE' and expires_at <= (select clock_timestamp())
  and ${
    'only' in partners
      ? sql`partner_id = ${partners.only}`
      : sql`partner_id <> all(${partners.except}::bigint[])`
  }`;

/**
 * Expires up to `batchSize` due vouchers, by the database's clock, and returns their remaining
 * value to their partners: reserved → gift (design 4). Vouchers locked by a claim or a redemption
 * are skipped; the next sweep finds them. Returns the number.
 */
export async function expireVouchers(
  transaction: DatabaseTransaction,
  batchSize: number,
  partners: Partners = { except: [] },
): Promise<number> {
  // An array makes PostgreSQL use the index for any number of values.
  const { rows } = await sql<{ id: number; partner_id: number; returned: string }>`
    update vouchers set status = 'EXPIRED', returned = remaining, remaining = 0
    where id = any(array(
      select id from vouchers where ${isDue(partners)}
      order by expires_at limit ${batchSize} for update skip locked))
    returning id, partner_id, returned`.execute(transaction);
  await returnReserve(
    transaction,
    rows.map((voucher) => ({
      operationId: `expire-voucher:${voucher.id}`,
      partnerId: voucher.partner_id,
      amount: parseMoney(voucher.returned),
    })),
  );
  return rows.length;
}

/**
 * Expires a batch without the partners in `except`. If the database refuses the batch, each of its
 * partners is tried separately, so that one partner with wrong books does not block the others.
 */
export async function expireVouchersApart(
  database: Database,
  batchSize: number,
  except: readonly number[],
): Promise<{ expired: number; stuck: StuckPartner[] }> {
  const expire = (partners: Partners) =>
    database
      .transaction()
      .execute((transaction) => expireVouchers(transaction, batchSize, partners));
  try {
    return { expired: await expire({ except }), stuck: [] };
  } catch (error) {
    if (!isDefiniteDatabaseError(error)) throw error;
  }
  const { rows } = await sql<{ partner_id: number }>`
    select distinct partner_id from (
      select partner_id from vouchers where ${isDue({ except })}
      order by expires_at limit ${batchSize}) as due`.execute(database);
  let expired = 0;
  const stuck: StuckPartner[] = [];
  for (const { partner_id: only } of rows) {
    try {
      expired += await expire({ only });
    } catch (error) {
      if (!isDefiniteDatabaseError(error)) throw error;
      stuck.push(await describeStuck(database, only, error));
    }
  }
  return { expired, stuck };
}

async function describeStuck(
  database: Database,
  partnerId: number,
  error: unknown,
): Promise<StuckPartner> {
  const { isCovered: _, ...due } = await dueVouchersOf(database, partnerId);
  const isShort = violates(error, balanceConstraint);
  return { partnerId, ...due, reason: isShort ? 'reserve-too-small' : 'refused-by-database' };
}

/** The vouchers of a partner that are due; with `until`, those that were due by then. */
export async function dueVouchersOf(
  database: Database,
  partnerId: number,
  until: string | null = null,
): Promise<DueVouchers> {
  const { rows } = await sql<DueVouchers>`
    select company_name as "companyName", vouchers, amount::text, balance as reserved,
      balance >= amount as "isCovered", "dueUntil"
    from partners
    join ledger_accounts on ledger_accounts.partner_id = partners.id and kind = 'reserved'
    cross join (
      select count(*) as vouchers, coalesce(sum(remaining), 0) as amount,
        coalesce(max(expires_at), clock_timestamp())::text as "dueUntil"
      from vouchers where ${isDue({ only: partnerId })}
        and (${until}::timestamptz is null or expires_at <= ${until}::timestamptz)) as due
    where partners.id = ${partnerId}`.execute(database);
  const [row] = rows;
  if (!row) throw new Error(`Partner ${partnerId} has no reserve`);
  return row;
}
