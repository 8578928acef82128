import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import {
  allRows,
  type Database,
  type DatabaseTransaction,
  isDefiniteDatabaseError,
  onlyRow,
  violates,
} from '../connection.ts';
import { balanceConstraint, returnReserve } from '../ledger/ledger.ts';
import { isVoucherBlocked } from '../positions/cases.ts';
import { endHalved, isAmong, type RefusedRow, type Rows } from '../refused-rows.ts';

/** An expiry run tries a partner no further after this number of refused vouchers in one batch. */
const MAXIMUM_REFUSED_OF_PARTNER = 20;

/** Vouchers that expire: some of those that are due, or all without some partners. */
type Vouchers = Rows<number> & { readonly exceptPartners?: readonly number[] };

/** What an expiry run leaves out, because the database refused it before. */
interface LeftOut {
  readonly partners: readonly number[];
  readonly vouchers: readonly number[];
}

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
const isDue = sql`status = 'ACTIVE' and expires_at <= (select clock_timestamp())
  and not ${isVoucherBlocked(sql`vouchers.id`)}`;

const dueVouchers = (batchSize: number, vouchers: Vouchers) => sql`
  select id, partner_id from vouchers
  where ${isDue} and partner_id <> all(${vouchers.exceptPartners ?? []}::bigint[])
    and ${isAmong('id', vouchers, 'bigint')}
  order by expires_at limit ${batchSize}`;

/**
 * Expires up to `batchSize` due vouchers, by the database's clock, and returns their remaining
 * value to their partners: reserved → gift. Vouchers locked by a claim or a redemption
 * are skipped; the next expiry run finds them. Returns the number.
 */
export async function expireDueVouchers(
  transaction: DatabaseTransaction,
  batchSize: number,
  vouchers: Vouchers = { except: [] },
): Promise<number> {
  const due = await allRows<{ id: number }>(transaction)`
    ${dueVouchers(batchSize, vouchers)} for no key update skip locked`;
  // Looked at again under their locks: a case may have been opened before a voucher was locked.
  const rows = await allRows<{ id: number; partner_id: number; returned: string }>(transaction)`
    update vouchers set status = 'EXPIRED', returned = remaining, remaining = 0
    where id = any(${due.map(({ id }) => id)}::bigint[]) and ${isDue}
    returning id, partner_id, returned`;
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

/** The end of a batch: what expired, and what cannot. */
interface ExpiredBatch {
  readonly expired: number;
  /** Partners with vouchers that cannot expire. */
  readonly stuck: readonly StuckPartner[];
  /** The refused vouchers. */
  readonly refused: readonly RefusedRow<number>[];
  /** Partners that are left out as a whole: their books or many of their vouchers are wrong. */
  readonly leftOut: readonly number[];
}

/**
 * Expires a batch. If the database refuses it, each of its partners is tried separately and each
 * refused voucher is found. So neither a partner with wrong books nor one wrong row blocks the
 * others. A partner whose reserve is too small is left out as a whole: the wrong voucher is
 * unknown.
 */
export async function expireVouchersApart(
  database: Database,
  batchSize: number,
  { partners: exceptPartners, vouchers: except }: LeftOut,
): Promise<ExpiredBatch> {
  const expire = (vouchers: Vouchers) =>
    database
      .transaction()
      .execute((transaction) => expireDueVouchers(transaction, batchSize, vouchers));
  try {
    const expired = await expire({ except, exceptPartners });
    return { expired, stuck: [], refused: [], leftOut: [] };
  } catch (error) {
    if (!isDefiniteDatabaseError(error)) throw error;
  }
  const rows = await allRows<{ id: number; partner_id: number }>(database)`
    ${dueVouchers(batchSize, { except, exceptPartners })}`;
  let expired = 0;
  const stuck: StuckPartner[] = [];
  const refused: RefusedRow<number>[] = [];
  const leftOut: number[] = [];
  for (const partnerId of new Set(rows.map(({ partner_id }) => partner_id))) {
    const ids = rows.filter(({ partner_id }) => partner_id === partnerId).map(({ id }) => id);
    const ended = await expireOfPartner(ids, expire);
    expired += ended.count;
    refused.push(...ended.refused);
    if (ended.isShort || ended.isGivenUp) leftOut.push(partnerId);
    if (ended.isShort || ended.refused.length > 0)
      stuck.push(await describeStuck(database, partnerId, ended.isShort));
  }
  return { expired, stuck, refused, leftOut };
}

/** Expires the due vouchers of one partner. */
async function expireOfPartner(
  ids: readonly number[],
  expire: (vouchers: Vouchers) => Promise<number>,
) {
  try {
    const count = await expire({ only: ids });
    return { count, refused: [], isShort: false, isGivenUp: false };
  } catch (error) {
    if (!isDefiniteDatabaseError(error)) throw error;
    if (violates(error, balanceConstraint))
      return { count: 0, refused: [], isShort: true, isGivenUp: false };
  }
  const ended = await endHalved(ids, expire, MAXIMUM_REFUSED_OF_PARTNER);
  return {
    ...ended,
    isShort: ended.refused.some(({ error }) => violates(error, balanceConstraint)),
  };
}

async function describeStuck(
  database: Database,
  partnerId: number,
  isShort: boolean,
): Promise<StuckPartner> {
  const { isCovered: _, ...due } = await dueVouchersOf(database, partnerId);
  return { partnerId, ...due, reason: isShort ? 'reserve-too-small' : 'refused-by-database' };
}

/** The vouchers of a partner that are due; with `until`, those that were due by then. */
export const dueVouchersOf = (database: Database, partnerId: number, until: string | null = null) =>
  onlyRow<DueVouchers>(database, `Partner ${partnerId} has no reserve`)`
    select company_name as "companyName", vouchers, amount::text, balance as reserved,
      balance >= amount as "isCovered", "dueUntil"
    from partners
    join ledger_accounts on ledger_accounts.partner_id = partners.id and kind = 'reserved'
    cross join (
      select count(*) as vouchers, coalesce(sum(remaining), 0) as amount,
        coalesce(max(expires_at), clock_timestamp())::text as "dueUntil"
      from vouchers where ${isDue} and partner_id = ${partnerId}
        and (${until}::timestamptz is null or expires_at <= ${until}::timestamptz)) as due
    where partners.id = ${partnerId}`;
