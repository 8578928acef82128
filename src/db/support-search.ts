import { sql } from 'kysely';
import type { StoredNumber } from '../domain/phone.ts';
import { type SearchTerm, spellingsOf } from '../domain/staff.ts';
import { DEPOSIT_CORRECTION, GOODWILL } from '../domain/statements.ts';
import type { TopupStatus } from '../domain/topup.ts';
import type { CompanyKind } from '../domain/vouchers/voucher.ts';
import { companyName } from './catalogue/companies.ts';
import { allRows, allValues, type Database, firstValue, type Sql } from './connection.ts';
import { anyDigest } from './digest-keys.ts';
import type { VouchersTable } from './generated/tables.ts';
import { isNamed } from './ledger/ledger.ts';
import { anySpelling, searchQueries } from './lists/list.ts';
import { hasNumber } from './phone-numbers.ts';

/** The number of a voucher's owner, or of a top-up; undefined where there is none. */
export const readNumberOf = (
  database: Database,
  kind: 'voucher' | 'top-up',
  id: number,
): Promise<StoredNumber | undefined> =>
  kind === 'voucher'
    ? firstValue<StoredNumber>(database)`select owner_msisdn from vouchers where id = ${id}`
    : firstValue<StoredNumber>(database)`select msisdn from topups where id = ${id}`;

/** A search of a person of the service, with the keys by which codes and numbers are found. */
interface SearchedTerm extends Omit<SearchTerm, 'msisdn' | 'voucherCode' | 'about'> {
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
  /** Of a voucher: the value that it has now, and until when; null for a top-up. */
  readonly left: string | null;
  readonly expiresAt: Date | null;
  /** The number of the owner or of the top-up, masked. */
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

/** The newest rows of a number, in the order of an index. */
const newestOf = (
  hash: string,
  { table, id, column }: { readonly table: string; readonly id: string; readonly column: string },
) => sql`
  select ${sql.ref(id)} from ${sql.table(table)}
  where ${sql.ref(column)} is not null and ${hasNumber(column, hash)}
  order by ${sql.ref(id)} desc limit ${ROWS_OF_A_WAY}`;

/** SQL query: the vouchers or top-ups that a person settled by hand under a reference, also as not done. */
const settledUnder = (column: 'voucher_id' | 'topup_id', reference: Sql) =>
  ['reference', 'letter'].map(
    (name) => sql`
  select ${sql.ref(column)} from repairs
  where arguments ->> ${sql.lit(name)} = ${reference} and ${sql.ref(column)} is not null
  limit ${ROWS_OF_A_WAY}`,
  );

/** Each statement uses an index of its own; together they are a few rows. */
const voucherWays = (term: SearchedTerm) => {
  const { serialNumber, codeDigests, numberHash, redemptionId, uuid, operationId } = term;
  const reference = term.reference && anySpelling(term.reference);
  return searchQueries(
    serialNumber && sql`select id from vouchers where serial_number = ${serialNumber}`,
    codeDigests && sql`select id from vouchers where code_digest = ${anyDigest(codeDigests)}`,
    numberHash && [
      newestOf(numberHash, { table: 'vouchers', id: 'id', column: 'owner_msisdn' }),
      // Vouchers whose owner had the number before a correction.
      newestOf(numberHash, { table: 'repairs', id: 'voucher_id', column: 'former_msisdn' }),
    ],
    redemptionId && sql`select voucher_id from redemptions where id = ${redemptionId}`,
    uuid && [
      sql`select voucher_id from redemptions where payment_reference = ${uuid}::uuid`,
      sql`select voucher_id from ${ofReversal} where reversal.reference = ${uuid}::uuid`,
    ],
    reference && [
      sql`select voucher_id from redemptions where platform_reference = ${reference}`,
      sql`select voucher_id from placements where provider_reference = ${reference}
        limit ${ROWS_OF_A_WAY}`,
      sql`select voucher_id from messages where provider_reference = ${reference}
        and provider_reference <> '' limit ${ROWS_OF_A_WAY}`,
      ...settledUnder('voucher_id', reference),
      // A partner's own name of a line of a bulk order.
      sql`select voucher_id from bulk_lines
        where reference = ${reference} and voucher_id is not null limit ${ROWS_OF_A_WAY}`,
    ],
    operationId && vouchersOfOperation(operationId),
  );
};

const ofReversal = sql`redemption_reversals as reversal join redemptions on redemptions.id = reversal.redemption_id`;

/** The vouchers that an operation was about, of whatever kind it was. */
const vouchersOfOperation = (operationId: string) => [
  sql`select id from vouchers where operation_id = ${operationId}`,
  // One index has the open claims, another index the ended claims.
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
];

const topupWays = (term: SearchedTerm) => {
  const { topupId, numberHash, operationId } = term;
  const reference = term.reference && anySpelling(term.reference);
  return searchQueries(
    topupId && sql`select id from topups where id = ${topupId}`,
    numberHash && [
      newestOf(numberHash, { table: 'topups', id: 'id', column: 'msisdn' }),
      newestOf(numberHash, { table: 'topup_attempts', id: 'topup_id', column: 'msisdn' }),
    ],
    reference && [
      sql`select topup_id from topup_attempts where reference = ${reference}`,
      sql`select topup_id from topup_attempts join placements using (operation_id)
        where placements.provider_reference = ${reference} limit ${ROWS_OF_A_WAY}`,
      ...settledUnder('topup_id', reference),
    ],
    operationId && [
      sql`select id from topups where operation_id = ${operationId}`,
      sql`select topup_id from topup_attempts where operation_id = ${operationId}`,
      // A request that another request has overtaken made no attempt.
      sql`select topup_id from topup_retries where operation_id = ${operationId}`,
      sql`select topup_id from repairs where operation_id = ${operationId}`,
    ],
  );
};

/** The ids that the statements find, newest first. */
async function idsBy(database: Database, ways: readonly Sql[]): Promise<readonly number[]> {
  if (ways.length === 0) return [];
  return await allValues<number>(database)`
    with found (id) as (${sql.join(ways, sql` union `)})
    select id from found where id is not null order by id desc`;
}

const vouchersOf = (ids: readonly number[]) => sql`
  select 'voucher' as kind, vouchers.id, serial_number as name, vouchers.created_at as at,
    vouchers.status, company_name as partner, amount, remaining as left, expires_at as "expiresAt",
    masked_msisdn(owner_msisdn) as "maskedNumber"
  from vouchers join partners on partners.id = vouchers.partner_id
  where vouchers.id = any(${ids}::bigint[])`;

const topupsOf = (ids: readonly number[]) => sql`
  select 'top-up' as kind, topups.id, topups.id::text as name, topups.created_at as at,
    topups.status, company_name as partner, amount, null as left, null::timestamptz as "expiresAt",
    masked_msisdn(msisdn) as "maskedNumber"
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
    ids.length === 0 ? [] : allRows<FoundCase>(database)`${rowsOf(ids.slice(0, limit))}`;
  const rows = [...(await newest(vouchers, vouchersOf)), ...(await newest(topups, topupsOf))];
  const cases = rows.toSorted((a, b) => b.at.getTime() - a.at.getTime()).slice(0, limit);
  return { cases, more: vouchers.length + topups.length - cases.length };
}

/** A record that a text names, apart from vouchers and top-ups. */
export interface FoundRecord {
  readonly kind:
    | 'partner'
    | 'merchant'
    | 'person'
    | 'deposit'
    | 'goodwill'
    | 'bulk order'
    | 'bulk line'
    | 'repair'
    | 'case'
    | 'call'
    | 'operation';
  /** A name, a reference, an e-mail address, or the number of a row. */
  readonly name: string;
  readonly at: Date;
  /** The company that it belongs to; null where there is none, or the call named none. */
  readonly companyKind: CompanyKind | null;
  readonly companyId: number | null;
  readonly company: string | null;
  /** The result of the call. */
  readonly state: string;
  /** Decimal string. */
  readonly amount: string | null;
  /** The account of a person. */
  readonly accountId: number | null;
}

/** Records of one statement at most. */
const ROWS = 20;

/** Deposits and goodwill credits. */
const bookings = (kind: 'deposit' | 'goodwill', reference: string) => sql`
  select ${kind}::text as kind, substr(operation_id, ${kind.length + 2}::int) as name, transfer.created_at as at,
    'partner' as company_kind, account.partner_id as company_id,
    'Credited to the ' || account.kind || ' wallet' || case when exists (
      select from ledger_transfers as correction where correction.operation_id = transfer.operation_id
        and starts_with(correction.step, ${DEPOSIT_CORRECTION})) then ', corrected since' else '' end as state,
    amount, null::bigint
  from ledger_transfers as transfer join ledger_accounts as account on account.id = credit_account_id
  where ${isNamed(kind, reference)} and step in ('deposit', ${GOODWILL}) limit ${ROWS}`;

/** Lines of bulk orders that have no voucher. */
const bulkLines = (references: readonly string[]) => sql`
  select 'bulk line', 'line ' || line || ' of bulk order ' || bulk_order_id,
    coalesce(line.settled_at, bulk_orders.created_at), 'partner', partner_id,
    line.status || coalesce(': ' || (refusal ->> 'reason'), ''), null::numeric, null::bigint
  from bulk_lines as line join bulk_orders on bulk_orders.id = bulk_order_id
  where line.reference = any(${references}::text[]) and voucher_id is null limit ${ROWS}`;

/** SQL expression: that a webhook of a company takes no events; null where all of them do. */
const failingWebhook = (kind: CompanyKind, id: Sql) => sql`
  (select 'a webhook does not take events' from webhook_endpoints
    where company_kind = ${sql.lit(kind)} and company_id = ${id}
      and (failing_since is not null and status = 'ACTIVE' or status = 'SWITCHED_OFF') limit 1)`;

/** Companies by a part of the name, or by what identifies them. There are as many as the service has customers. */
const companies = (name: string) => [
  sql`select 'partner', company_name, created_at, 'partner', id, concat_ws(', ', lower(status), (
        select string_agg(kind || ' wallet ETB ' || to_char(balance, 'FM999,999,999,990.00'), ', ' order by kind desc)
        from ledger_accounts where partner_id = partners.id and kind in ('gift', 'airtime')),
        ${failingWebhook('partner', sql`partners.id`)}), null::numeric, null::bigint
    from partners where position(lower(${name}) in lower(company_name)) > 0
      or id = any(array(select partner_id from api_keys where key_prefix = ${name})) limit ${ROWS}`,
  sql`select 'merchant', merchant_name, created_at, 'merchant', id,
      concat_ws(', ', case when deleted_at is null then lower(status) else 'deleted' end,
        ${failingWebhook('merchant', sql`merchants.id`)}), null::numeric, null::bigint
    from merchants where position(lower(${name}) in lower(merchant_name)) > 0
      or lower(email) = lower(${name}) or identifier = ${name}
      or id = any(array(select merchant_id from api_keys where key_prefix = ${name})) limit ${ROWS}`,
];

/** People of companies by a part of the e-mail address, and those of the service by a part of the name, too. */
const people = (name: string) => [
  sql`select 'person', account.email, account.created_at,
      case when partner_id is not null then 'partner' when merchant_id is not null then 'merchant' end,
      coalesce(partner_id, merchant_id), coalesce(staff.name || ', ' || lower(staff.role), account.role) || case
        when disabled_at is not null then ', disabled'
        when last_signed_in_at is null then ', has not signed in' else '' end,
      null::numeric, account.id
    from portal_accounts as account
    left join staff_accounts as staff on staff.account_id = account.id
    where position(lower(${name}) in account.email) > 0
      or position(lower(${name}) in lower(staff.name)) > 0 limit ${ROWS}`,
];

/** A case by its number; one about no voucher and no top-up also by its reference, which leads to those otherwise. */
const openedCases = ({ caseId, reference }: SearchedTerm) => {
  const found = (condition: Sql) => sql`
    select 'case', cases.id::text, opened_at,
      case when partner_id is not null then 'partner' when merchant_id is not null then 'merchant' end,
      coalesce(partner_id, merchant_id), coalesce(difference, why) || case when closed_at is null then ': open' else ': closed' end,
      cases.amount, null::bigint
    from cases where ${condition} limit ${ROWS}`;
  return searchQueries(
    caseId && found(sql`cases.id = ${caseId}`),
    reference &&
      found(
        sql`cases.reference = ${anySpelling(reference)} and voucher_id is null and topup_id is null`,
      ),
  );
};

/** Calls of the APIs by their X-Request-Id: those that were refused, and the newest others. */
const calls = (requestId: string) => [
  sql`select 'call', request_id, at, company_kind, company_id, method || ' ' || route || ': ' || reason,
      null::numeric, null::bigint
    from refused_calls where request_id = ${requestId} limit ${ROWS}`,
  sql`select 'call', request_id, at, company_kind, company_id,
      method || ' ' || route || ': answered ' || status_code, null::numeric, null::bigint
    from admitted_calls where request_id = ${requestId} limit ${ROWS}`,
];

const bulkOrder = (condition: Sql) => sql`
  select 'bulk order', bulk_orders.id::text, bulk_orders.created_at, 'partner', partner_id,
    generated || ' of ' || lines || ' generated, ' || refused || ' refused, ' || cancelled
      || ' cancelled', null::numeric, null::bigint
  from bulk_orders where ${condition}`;

/** A repair by its number, and one of a wallet by its operation: any other one belongs to its case. */
const repairs = ({ repairId, operationId }: SearchedTerm) => {
  const found = (condition: Sql) => sql`
    select 'repair', id::text, changed_at, company_kind, company_id, kind || ': ' || state, amount, null::bigint
    from repairs where ${condition}`;
  return searchQueries(
    repairId && found(sql`id = ${repairId}`),
    operationId &&
      found(sql`operation_id = ${operationId} and voucher_id is null and topup_id is null`),
  );
};

/** The answer to a request, as long as it is kept. */
const operation = (operationId: string) => sql`
  select 'operation', id, coalesce(settled_at, created_at), company_kind, company_id,
    kind || ': ' || status || coalesce(', ' || (outcome ->> 'reason'), ''), null::numeric, null::bigint
  from operations where id = ${operationId}`;

/**
 * The records that a text names, apart from vouchers and top-ups: companies first, then the newest. Each statement
 * uses an index. The request of an operation is a record, too.
 */
export async function findRecords(database: Database, term: SearchedTerm) {
  const { reference, uuid, operationId, bulkOrderId, name } = term;
  const statements = searchQueries(
    name && [...companies(name), ...people(name)],
    openedCases(term),
    repairs(term),
    reference && [
      bookings('deposit', reference),
      bookings('goodwill', reference),
      bulkLines(spellingsOf(reference)),
    ],
    uuid && calls(uuid),
    operationId && bulkOrder(sql`operation_id = ${operationId}`),
    bulkOrderId && bulkOrder(sql`bulk_orders.id = ${bulkOrderId}`),
    operationId && operation(operationId),
  );
  if (statements.length === 0) return [];
  return allRows<FoundRecord>(database)`
    with found (kind, name, at, company_kind, company_id, state, amount, account_id) as (
      ${sql.join(statements, sql` union all `)})
    select kind, name, at, company_kind as "companyKind", company_id as "companyId", ${companyName} as company,
      state, amount, account_id as "accountId"
    from found order by kind in ('partner', 'merchant') desc, at desc, name limit ${ROWS}`;
}

/** A redemption with what its workflows are found by. */
export type NamedRedemption = NonNullable<Awaited<ReturnType<typeof findRedemptionNames>>>;

const namesOfVouchers = [
  'vouchers.partner_id as partnerId',
  'vouchers.serial_number as serialNumber',
  'vouchers.owner_msisdn as ownerMsisdn',
] as const;

/** The names of a partner's voucher; undefined where it has none with this id. */
export const findVoucherNames = (
  database: Database,
  { voucherId, partnerId }: { readonly voucherId: number; readonly partnerId: number },
) =>
  database
    .selectFrom('vouchers')
    .select([...namesOfVouchers, 'vouchers.merchant_id as merchantId'])
    .where('vouchers.id', '=', voucherId)
    .where('vouchers.partner_id', '=', partnerId)
    .executeTakeFirst();

/** The names of a merchant's redemption; undefined where it has none with this id. */
export async function findRedemptionNames(
  database: Database,
  { redemptionId, merchantId }: { readonly redemptionId: number; readonly merchantId: number },
) {
  const row = await database
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .select([
      ...namesOfVouchers,
      'redemptions.merchant_id as merchantId',
      'redemptions.platform_reference',
      'redemptions.payment_reference',
    ])
    .where('redemptions.id', '=', redemptionId)
    .where('redemptions.merchant_id', '=', merchantId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { platform_reference, payment_reference, ...names } = row;
  // For people, and towards the provider.
  return { ...names, references: [platform_reference, payment_reference] };
}
