import { type RawBuilder, sql } from 'kysely';
import { type SearchTerm, spellingsOf } from '../../domain/staff/search-term.ts';
import { anyDigest } from '../any-digest.ts';
import type { Database } from '../connection.ts';
import { hasNumber } from '../numbers/number-key.ts';
import type { TopupStatus, VouchersTable } from '../schema/all-tables.ts';

/** What a person of the service looks for, with the keys by which codes and numbers are found. */
export interface SearchedTerm extends Omit<SearchTerm, 'msisdn' | 'voucherCode' | 'about'> {
  readonly numberHash?: string;
  readonly codeDigests?: readonly Buffer[];
}

/** A voucher or a top-up that was found. */
export interface FoundCase {
  readonly kind: 'voucher' | 'top-up';
  readonly id: number;
  /** The serial number, or the transactionId. */
  readonly name: string;
  readonly at: Date;
  readonly status: VouchersTable['status']['__select__'] | TopupStatus;
  readonly partner: string;
  /** Decimal string. */
  readonly amount: string | null;
  /** Of the owner, or that of the top-up. */
  readonly maskedNumber: string | null;
}

export interface FoundCases {
  /** Newest first. */
  readonly cases: readonly FoundCase[];
  /** How many more there are; of very many only a part is counted. */
  readonly more: number;
}

/** Rows that one way of looking answers at most. */
const ROWS_OF_A_WAY = 200;

type Way = RawBuilder<unknown>;
const way = (condition: unknown, statement: () => Way): Way[] =>
  condition === undefined ? [] : [sql`(${statement()})`];

/** The newest rows of a number, in the order of an index. */
const newestOf = (number: {
  readonly table: string;
  readonly id: string;
  readonly column: string;
  readonly hash: string | undefined;
}) =>
  way(
    number.hash,
    () => sql`
    select ${sql.ref(number.id)} from ${sql.table(number.table)}
    where ${sql.ref(number.column)} is not null and ${hasNumber(number.column, number.hash)}
    order by ${sql.ref(number.id)} desc limit ${ROWS_OF_A_WAY}`,
  );

const isAny = (reference: string | undefined) =>
  reference === undefined ? undefined : sql`any(${spellingsOf(reference)}::text[])`;

/** What somebody settled by hand under a reference, also as not done. */
const settledUnder = (column: 'voucher_id' | 'topup_id', reference: unknown) => sql`
  select ${sql.ref(column)} from repairs
  where arguments ->> 'reference' = ${reference} and ${sql.ref(column)} is not null
  limit ${ROWS_OF_A_WAY}`;

/** Each statement uses an index of its own; together they are a few rows. */
const voucherWays = (term: SearchedTerm): Way[] => {
  const { serialNumber, codeDigests, numberHash, redemptionId, uuid } = term;
  const reference = isAny(term.reference);
  return [
    ...way(serialNumber, () => sql`select id from vouchers where serial_number = ${serialNumber}`),
    ...way(
      codeDigests,
      () => sql`select id from vouchers where code_digest = ${anyDigest(codeDigests ?? [])}`,
    ),
    ...newestOf({ table: 'vouchers', id: 'id', column: 'owner_msisdn', hash: numberHash }),
    // Before a correction.
    ...newestOf({ table: 'repairs', id: 'voucher_id', column: 'former_msisdn', hash: numberHash }),
    ...way(redemptionId, () => sql`select voucher_id from redemptions where id = ${redemptionId}`),
    ...way(
      uuid,
      () => sql`select voucher_id from redemptions where payment_reference = ${uuid}::uuid`,
    ),
    ...way(
      uuid,
      () => sql`select voucher_id from ${ofReversal} where reversal.reference = ${uuid}::uuid`,
    ),
    ...way(
      reference,
      () => sql`select voucher_id from redemptions where platform_reference = ${reference}`,
    ),
    ...way(
      reference,
      () => sql`select voucher_id from placements where provider_reference = ${reference}
      limit ${ROWS_OF_A_WAY}`,
    ),
    ...way(
      reference,
      () => sql`select voucher_id from messages where provider_reference = ${reference}
      and provider_reference <> '' limit ${ROWS_OF_A_WAY}`,
    ),
    ...way(term.caseId, () => sql`select voucher_id from cases where id = ${term.caseId}`),
    ...way(reference, () => settledUnder('voucher_id', reference)),
    // A partner's own name of a line of a bulk order.
    ...way(
      reference,
      () => sql`select voucher_id from bulk_lines
      where reference = ${reference} and voucher_id is not null limit ${ROWS_OF_A_WAY}`,
    ),
    ...vouchersOfOperation(term),
  ];
};

const ofReversal = sql`redemption_reversals as reversal join redemptions on redemptions.id = reversal.redemption_id`;

/** The vouchers that an operation was about, of whatever kind it was. */
const vouchersOfOperation = ({ operationId }: SearchedTerm): Way[] =>
  [
    sql`select id from vouchers where operation_id = ${operationId}`,
    // One index has the open claims, another one those that have ended.
    sql`select voucher_id from voucher_claims
      where operation_id = ${operationId} and status = 'OPEN'`,
    sql`select voucher_id from voucher_claims
      where operation_id = ${operationId} and status <> 'OPEN'`,
    sql`select voucher_id from redemptions where operation_id = ${operationId}`,
    sql`select voucher_id from ${ofReversal} where reversal.operation_id = ${operationId}`,
    sql`select voucher_id from message_resends join messages on messages.id = message_id
      where operation_id = ${operationId}`,
    sql`select (outcome ->> 'voucherId')::bigint from operations
      where id = ${operationId} and kind = 'cancel-voucher' and outcome ->> 'voucherId' is not null`,
    sql`select voucher_id from repairs where operation_id = ${operationId}`,
    sql`select voucher_id from bulk_lines
      where bulk_order_id = (select id from bulk_orders where operation_id = ${operationId})
        and voucher_id is not null
      order by line desc limit ${ROWS_OF_A_WAY}`,
  ].flatMap((statement) => way(operationId, () => statement));

const topupWays = (term: SearchedTerm): Way[] => {
  const { topupId, numberHash, operationId } = term;
  const reference = isAny(term.reference);
  return [
    ...way(topupId, () => sql`select id from topups where id = ${topupId}`),
    ...newestOf({ table: 'topups', id: 'id', column: 'msisdn', hash: numberHash }),
    ...newestOf({ table: 'topup_attempts', id: 'topup_id', column: 'msisdn', hash: numberHash }),
    ...way(
      reference,
      () => sql`select topup_id from topup_attempts where reference = ${reference}`,
    ),
    ...way(
      reference,
      () => sql`select topup_id from topup_attempts join placements using (operation_id)
      where placements.provider_reference = ${reference} limit ${ROWS_OF_A_WAY}`,
    ),
    ...way(term.caseId, () => sql`select topup_id from cases where id = ${term.caseId}`),
    ...way(reference, () => settledUnder('topup_id', reference)),
    ...[
      sql`select id from topups where operation_id = ${operationId}`,
      sql`select topup_id from topup_attempts where operation_id = ${operationId}`,
      // A request that another one has overtaken made no attempt.
      sql`select topup_id from topup_retries where operation_id = ${operationId}`,
      sql`select topup_id from repairs where operation_id = ${operationId}`,
    ].flatMap((statement) => way(operationId, () => statement)),
  ];
};

/** The ids that the statements find, newest first. */
async function idsBy(database: Database, ways: readonly Way[]): Promise<readonly number[]> {
  if (ways.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    with found (id) as (${sql.join(ways, sql` union `)})
    select id from found where id is not null order by id desc`.execute(database);
  return rows.map(({ id }) => id);
}

const vouchersOf = (ids: readonly number[]) => sql<FoundCase>`
  select 'voucher' as kind, vouchers.id, serial_number as name, vouchers.created_at as at,
    vouchers.status, company_name as partner, amount, masked_msisdn(owner_msisdn) as "maskedNumber"
  from vouchers join partners on partners.id = vouchers.partner_id
  where vouchers.id = any(${ids}::bigint[])`;

const topupsOf = (ids: readonly number[]) => sql<FoundCase>`
  select 'top-up' as kind, topups.id, topups.id::text as name, topups.created_at as at,
    topups.status, company_name as partner, amount, masked_msisdn(msisdn) as "maskedNumber"
  from topups join partners on partners.id = topups.partner_id
  where topups.id = any(${ids}::bigint[])`;

/** The vouchers and top-ups that a text names, newest first. */
export async function findCases(
  database: Database,
  term: SearchedTerm,
  limit: number,
): Promise<FoundCases> {
  const vouchers = await idsBy(database, voucherWays(term));
  const topups = await idsBy(database, topupWays(term));
  const newest = async (ids: readonly number[], rowsOf: typeof vouchersOf) =>
    ids.length === 0 ? [] : (await rowsOf(ids.slice(0, limit)).execute(database)).rows;
  const rows = [...(await newest(vouchers, vouchersOf)), ...(await newest(topups, topupsOf))];
  const cases = rows.toSorted((a, b) => b.at.getTime() - a.at.getTime()).slice(0, limit);
  return { cases, more: vouchers.length + topups.length - cases.length };
}
