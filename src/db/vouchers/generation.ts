import { sql } from 'kysely';
import type { CompanyAuthority } from '../../domain/access.ts';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Caller, GenerationFacts } from '../../domain/vouchers/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import { maySellGifts } from '../catalogue/prices.ts';
import { allRows, type Database, firstRow, onlyRow, type Sql } from '../connection.ts';
import { columnNames, givenRows } from '../given-rows.ts';
import {
  countNumberEvents,
  countSpending,
  type LimitsLeft,
  limitedCaller,
  limitsLeft,
  type NumberCount,
} from '../limits/daily-limits.ts';
import { type StoredOperation, storedOperation } from '../operations.ts';

/** The partner that generates a voucher, its amount and its merchant. */
export interface GenerationSubject {
  readonly partner: Caller;
  readonly merchant: { readonly id: number } | { readonly identifier: string };
  readonly denominationId: number;
}

/** The columns of `given` that the facts are found by. */
const subjectColumns = {
  merchant_id: 'bigint',
  merchant_identifier: 'text',
  denomination_id: 'bigint',
} as const;

const subjectRow = ({ merchant, denominationId }: GenerationSubject) => ({
  merchant_id: 'id' in merchant ? merchant.id : null,
  merchant_identifier: 'id' in merchant ? null : merchant.identifier,
  denomination_id: denominationId,
});

/** SQL query: the facts of each row of `given`, with further columns. A missing merchant, denomination or price is null. */
const generationFacts = (partner: Caller, further: Sql) => sql`
  select given.place, wallet.balance as "giftBalance", denomination.amount_etb as "denominationAmount",
    merchant.id as "merchantId", price.selling_price_usd as "sellingPriceUsd", ${further},
    ${maySellGifts(partner.id, sql`coalesce(denomination.product_id, products.id)`)} as "hasAccess"
  from given
  join ledger_accounts as wallet on wallet.kind = 'gift' and wallet.partner_id = ${partner.id}
  left join gift_denominations as denomination
    on denomination.id = given.denomination_id and denomination.status = 'ACTIVE'
  left join lateral (
    select id from merchants
    where id = coalesce(given.merchant_id, (
        select named.id from merchants as named where identifier = given.merchant_identifier))
      and status = 'ACTIVE' and deleted_at is null
    limit 1
  ) as merchant on true
  left join lateral (
    select selling_price_usd from partner_gift_denomination_prices
    where partner_id = ${partner.id} and denomination_id = denomination.id
      and replaced_at is null and (merchant_id is null or merchant_id = merchant.id)
    order by merchant_id nulls last limit 1
  ) as price on true`;

/** Everything that decides a generation. */
type GenerationQuote = GenerationFacts & CompanyAuthority & LimitsLeft;

/** Reads what decides a generation, in one round trip, and writes nothing. */
export function readGenerationQuote(
  database: Database,
  subject: GenerationSubject,
  number: NumberCount | undefined,
) {
  const { partner } = subject;
  const authority = sql`${isStillAdmitted(partner, 'generate-voucher')} as "isAdmitted",
    (select status = 'ACTIVE' from partners where id = ${partner.id}) as "companyIsActive"`;
  return onlyRow<GenerationQuote>(database, 'The partner has no gift wallet')`
    with given as (
      select ${columnNames(subjectColumns)}, place
      from ${givenRows(subjectColumns, [subjectRow(subject)])})
    ${generationFacts(partner, sql`${authority}, ${limitsLeft(partner, number)}`)}`;
}

/** The voucher that a partner requests. */
export interface GenerationRequest extends GenerationSubject {
  readonly operationId: string;
  readonly requestId: string;
  readonly requestDigest: string;
  readonly serialNumber: string;
  readonly codeDigest: Buffer;
  readonly codeCiphertext: string;
  readonly owner: StoredNumber | null;
  /** Counts the voucher for its owner's number. */
  readonly numberCount: NumberCount | undefined;
  readonly isRestricted: boolean;
  readonly validityDays: number;
  /** Decimal string. */
  readonly exchangeRate: string | null;
  readonly currency: string | null;
  readonly originatingCountry: string | null;
  /** Decimal string. */
  readonly foreignCurrencyAmount: string | null;
}

/** The facts, and the voucher's id if they allow it. */
export interface Generation extends GenerationFacts {
  /** The operation before this statement; if it was pruned, reconstructed from its voucher. */
  readonly operation: StoredOperation | null;
  /**
   * Null where a fact forbids it, or where the partner was suspended or its key or token revoked.
   */
  readonly voucherId: number | null;
}

const requestColumns = {
  ...subjectColumns,
  operation_id: 'text',
  request_id: 'text',
  request_digest: 'text',
  serial_number: 'text',
  code_digest: 'bytea',
  code_ciphertext: 'text',
  owner_msisdn: 'text',
  number_digest: 'bytea',
  is_restricted: 'boolean',
  exchange_rate: 'text',
  currency: 'text',
  originating_country: 'text',
  foreign_currency_amount: 'text',
} as const;

const requestRow = (request: GenerationRequest) => ({
  ...subjectRow(request),
  operation_id: request.operationId,
  request_id: request.requestId,
  request_digest: request.requestDigest,
  serial_number: request.serialNumber,
  code_digest: request.codeDigest,
  code_ciphertext: request.codeCiphertext,
  owner_msisdn: request.owner,
  number_digest: request.numberCount?.digest ?? null,
  is_restricted: request.isRestricted,
  exchange_rate: request.exchangeRate,
  currency: request.currency,
  originating_country: request.originatingCountry,
  foreign_currency_amount: request.foreignCurrencyAmount,
});

/**
 * Generates the vouchers of one caller that their facts allow. One statement, and so one transaction and one round
 * trip, reads the facts and writes each voucher's row, its transfer gift → reserved and its settled operation. Nothing
 * is written of a voucher that a fact forbids, and the facts show the reason. The results are in the order of requests.
 *
 * @throws a violation, and writes none of them: of `balanceConstraint` where the balance does not suffice for all,
 * of `dailyLimitConstraint` or `numberLimitConstraint` beyond a daily limit, of `vouchers_operation_id_key` for a
 * duplicate
 */
export async function insertVouchers(
  database: Database,
  requests: readonly [GenerationRequest, ...GenerationRequest[]],
): Promise<readonly Generation[]> {
  const [{ partner, validityDays }] = requests;
  const generated = await allRows<Generation>(database)`
    with given as (
      select ${columnNames(requestColumns)}, place
      from ${givenRows(requestColumns, requests.map(requestRow))}
    ), facts as (
      ${generationFacts(
        partner,
        sql`(select to_jsonb(stored) from (
          ${storedOperation('generate-voucher', sql`given.operation_id`)}) as stored) as operation`,
      )}
    ), allowed as (
      select ${columnNames(requestColumns, 'given')}, place, "denominationAmount" as amount,
        "merchantId" as payee_id, "sellingPriceUsd" as selling_price_usd
      from facts join given using (place), partners
      where "hasAccess" and "merchantId" is not null and "sellingPriceUsd" is not null
        and "giftBalance" >= "denominationAmount"
        and facts.operation is null
        and partners.id = ${partner.id} and partners.status = 'ACTIVE'
        and ${isStillAdmitted(partner, 'generate-voucher')}
    ), ${countLimited(requests)} voucher as (
      insert into vouchers (operation_id, request_digest, partner_id, merchant_id, denomination_id, serial_number,
        code_digest, code_ciphertext, owner_msisdn, is_restricted, amount, remaining, expires_at,
        selling_price_usd, exchange_rate, currency, originating_country, foreign_currency_amount)
      select operation_id, request_digest, ${partner.id}::bigint, payee_id, denomination_id, serial_number,
        code_digest, code_ciphertext, owner_msisdn, is_restricted, amount, amount,
        now() + make_interval(secs => ${validityDays}::float8 * 86400),
        selling_price_usd, exchange_rate, currency, originating_country, foreign_currency_amount
      from allowed order by place
      returning id, operation_id, amount
    ), operation as (
      insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
        status, outcome)
      select operation_id, 'partner', ${partner.id}::bigint, 'generate-voucher',
        given.request_id::uuid, given.request_digest, 'SUCCEEDED',
        jsonb_build_object('ok', true, 'voucherId', voucher.id)
      from voucher join given using (operation_id)
      on conflict (id) do nothing
    ), transfer as (
      insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
      select voucher.operation_id, 'reserve', gift.id, reserved.id, voucher.amount
      from voucher, ledger_accounts as gift, ledger_accounts as reserved
      where gift.kind = 'gift' and gift.partner_id = ${partner.id}
        and reserved.kind = 'reserved' and reserved.partner_id = ${partner.id}
    )
    select operation, "hasAccess", "merchantId", "denominationAmount", "sellingPriceUsd", "giftBalance",
      voucher.id as "voucherId"
    from facts join given using (place) left join voucher using (operation_id)
    order by place`;
  if (generated.length < requests.length) throw new Error('The partner has no gift wallet');
  return generated;
}

/** SQL expression: counts the vouchers against the limits of their numbers and of their caller; empty without any. */
function countLimited(requests: readonly [GenerationRequest, ...GenerationRequest[]]) {
  const [{ partner }] = requests;
  const limited = limitedCaller(partner);
  const counted = requests.find(({ numberCount }) => numberCount)?.numberCount;
  const numbers =
    counted &&
    sql`counted_number as (
      ${countNumberEvents(
        counted,
        sql`select number_digest as digest, count(*)::int as events from allowed
          where number_digest is not null group by number_digest order by number_digest`,
      )}),`;
  // Rows are locked in the order of a top-up: those of numbers first.
  const afterNumbers = numbers ? sql`where (select count(*) from counted_number) >= 0` : sql``;
  const spending =
    limited &&
    sql`payment as (
        select sum(amount) as amount, count(*)::int as operations from allowed ${afterNumbers}
        having count(*) > 0),
      spent as (${countSpending(limited, sql`payment`)}),`;
  return sql`${numbers ?? sql``} ${spending ?? sql``}`;
}

/** The generated voucher for the answer; the code is still encrypted. */
export const generatedVoucher = (database: Database, voucherId: number) =>
  database
    .selectFrom('vouchers')
    .select(['id', 'operation_id', 'code_ciphertext', 'amount'])
    .where('id', '=', voucherId)
    .executeTakeFirstOrThrow();

/** A merchant's service fee and payout account. */
export interface MerchantTerms {
  /** Decimal string; null until an operator sets it. */
  readonly serviceFeePercent: string | null;
  readonly payout: {
    /** The key of a GSMA party, such as msisdn. */
    readonly key: string;
    readonly value: string;
    readonly since: Date;
  } | null;
}

/** The current terms of a merchant. */
export async function readMerchantTerms(
  database: Database,
  merchantId: number,
): Promise<MerchantTerms> {
  const row = await firstRow<{
    fee: string | null;
    key: string | null;
    value: string | null;
    since: Date | null;
  }>(database)`
    select service_fee_percent as fee, party_key as key, party_value as value,
      payout.created_at as since
    from merchants
    left join merchant_payout_accounts as payout
      on payout.merchant_id = merchants.id and payout.replaced_at is null
    where merchants.id = ${merchantId}`;
  const payout =
    row?.key && row.value && row.since
      ? { key: row.key, value: row.value, since: row.since }
      : null;
  return { serviceFeePercent: row?.fee ?? null, payout };
}
