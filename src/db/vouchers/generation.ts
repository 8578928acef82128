import { type RawBuilder, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type {
  Caller,
  GenerationAuthority,
  GenerationFacts,
} from '../../domain/vouchers/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import type { Database } from '../connection.ts';
import {
  countNumber,
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

/** The facts of a generation as a row; a missing merchant, denomination or price is null. */
interface GenerationFactsRow {
  readonly has_access: boolean;
  readonly merchant_id: number | null;
  readonly amount: string | null;
  readonly selling_price_usd: string | null;
  readonly balance: string;
}

const factsOf = (row: GenerationFactsRow): GenerationFacts => ({
  hasAccess: row.has_access,
  merchantId: row.merchant_id,
  denominationAmount: row.amount,
  sellingPriceUsd: row.selling_price_usd,
  giftBalance: row.balance,
});

/** SQL query: the facts as one row, with further columns. */
function generationFacts(
  { partner, merchant, denominationId }: GenerationSubject,
  further: RawBuilder<unknown>,
) {
  const isMerchant =
    'id' in merchant
      ? sql`merchants.id = ${merchant.id}`
      : sql`merchants.identifier = ${merchant.identifier}`;
  return sql`
    select wallet.balance, denomination.amount_etb as amount, merchant.id as merchant_id,
      price.selling_price_usd, ${further},
      exists (
        select from partner_products
        join products on products.id = partner_products.product_id
        where partner_products.partner_id = ${partner.id}
          and products.kind = 'GIFT' and products.status = 'ACTIVE'
          and products.deleted_at is null
          and products.id = coalesce(denomination.product_id, products.id)
      ) as has_access
    from ledger_accounts as wallet
    left join gift_denominations as denomination
      on denomination.id = ${denominationId} and denomination.status = 'ACTIVE'
    left join lateral (
      select id from merchants
      where ${isMerchant} and status = 'ACTIVE' and deleted_at is null
    ) as merchant on true
    left join lateral (
      select selling_price_usd from partner_gift_denomination_prices
      where partner_id = ${partner.id} and denomination_id = denomination.id
        and replaced_at is null and (merchant_id is null or merchant_id = merchant.id)
      order by merchant_id nulls last limit 1
    ) as price on true
    where wallet.kind = 'gift' and wallet.partner_id = ${partner.id}`;
}

/** Everything that decides a generation. */
export interface GenerationQuote {
  readonly facts: GenerationFacts;
  readonly authority: GenerationAuthority;
  readonly left: LimitsLeft;
}

/** Reads what decides a generation, in one round trip, and writes nothing. */
export async function readGenerationQuote(
  database: Database,
  subject: GenerationSubject,
  number: NumberCount | undefined,
): Promise<GenerationQuote> {
  const { partner } = subject;
  const authority = sql`${isStillAdmitted(partner, 'generate-voucher')} as is_admitted,
    (select status = 'ACTIVE' from partners where id = ${partner.id}) as is_active`;
  const { rows } = await sql<
    GenerationFactsRow & LimitsLeft & { is_admitted: boolean; is_active: boolean }
  >`${generationFacts(subject, sql`${authority}, ${limitsLeft(partner, number)}`)}`.execute(
    database,
  );
  const [row] = rows;
  if (!row) throw new Error('The partner has no gift wallet');
  return {
    facts: factsOf(row),
    authority: { isAdmitted: row.is_admitted, partnerIsActive: row.is_active },
    left: row,
  };
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
  readonly operation: StoredOperation | undefined;
  /**
   * Null where a fact forbids it, or where the partner was suspended or its key or token revoked.
   */
  readonly voucherId: number | null;
}

/**
 * Generates a voucher if the facts allow it. One statement, and so one transaction and one round
 * trip, reads the facts and writes the voucher's row, the transfer gift → reserved and the settled
 * operation. Where a fact forbids it nothing is written, and the facts show the reason.
 *
 * @throws a violation of `balanceConstraint` when a concurrent voucher spent the balance, of
 * `dailyLimitConstraint` or `numberLimitConstraint` beyond a daily limit, or of
 * `vouchers_operation_id_key` for a duplicate
 */
export async function insertVoucher(
  database: Database,
  request: GenerationRequest,
): Promise<Generation> {
  const partnerId = request.partner.id;
  const { rows } = await sql<
    GenerationFactsRow & { operation: StoredOperation | null; voucher_id: number | null }
  >`
    with facts as (
      ${generationFacts(
        request,
        sql`(select to_jsonb(stored) from (
          ${storedOperation('generate-voucher', request.operationId)}) as stored) as operation`,
      )}
    ), ${countLimited(request)} voucher as (
      insert into vouchers (operation_id, request_digest, partner_id, merchant_id, denomination_id, serial_number,
        code_digest, code_ciphertext, owner_msisdn, is_restricted, amount, remaining, expires_at,
        selling_price_usd, exchange_rate, currency, originating_country, foreign_currency_amount)
      select ${request.operationId}, ${request.requestDigest}, partners.id, facts.merchant_id,
        ${request.denominationId}::bigint, ${request.serialNumber}, ${request.codeDigest},
        ${request.codeCiphertext}, ${request.owner}, ${request.isRestricted}::boolean,
        facts.amount, facts.amount,
        now() + make_interval(secs => ${request.validityDays}::float8 * 86400),
        facts.selling_price_usd, ${request.exchangeRate}, ${request.currency},
        ${request.originatingCountry}, ${request.foreignCurrencyAmount}
      ${fromAllowing(request)}
      returning id, amount
    ), operation as (
      insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
        status, outcome)
      select ${request.operationId}, 'partner', ${partnerId}::bigint, 'generate-voucher',
        ${request.requestId}::uuid, ${request.requestDigest}, 'SUCCEEDED',
        jsonb_build_object('ok', true, 'voucherId', id)
      from voucher
      on conflict (id) do nothing
    ), transfer as (
      insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
      select ${request.operationId}, 'reserve', gift.id, reserved.id, voucher.amount
      from voucher, ledger_accounts as gift, ledger_accounts as reserved
      where gift.kind = 'gift' and gift.partner_id = ${partnerId}
        and reserved.kind = 'reserved' and reserved.partner_id = ${partnerId}
    )
    select facts.operation, facts.has_access, facts.merchant_id, facts.amount,
      facts.selling_price_usd, facts.balance, voucher.id as voucher_id
    from facts left join voucher on true`.execute(database);
  const row = rows[0];
  if (!row) throw new Error('The partner has no gift wallet');
  return {
    ...factsOf(row),
    operation: row.operation ?? undefined,
    voucherId: row.voucher_id,
  };
}

/** SQL clauses: the facts, if they allow the voucher. */
const fromAllowing = (request: GenerationRequest) => sql`
  from facts, partners
  where facts.has_access and facts.merchant_id is not null
    and facts.selling_price_usd is not null and facts.balance >= facts.amount
    and facts.operation is null
    and partners.id = ${request.partner.id} and partners.status = 'ACTIVE'
    and ${isStillAdmitted(request.partner, 'generate-voucher')}`;

/** SQL expression: counts the voucher against the limits of number and caller; empty without any. */
function countLimited(request: GenerationRequest) {
  const { numberCount } = request;
  const limited = limitedCaller(request.partner);
  const number =
    numberCount &&
    sql`counted_number as (
      ${countNumber(numberCount, sql`select ${fromAllowing(request)}`)}),`;
  // Rows are locked in the order of a top-up: the number's first.
  const afterNumber = number ? sql`and (select count(*) from counted_number) >= 0` : sql``;
  const spending =
    limited &&
    sql`payment as (select facts.amount ${fromAllowing(request)} ${afterNumber}),
      spent as (${countSpending(limited, sql`payment`)}),`;
  return sql`${number ?? sql``} ${spending ?? sql``}`;
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
  const { rows } = await sql<{
    fee: string | null;
    key: string | null;
    value: string | null;
    since: Date | null;
  }>`
    select service_fee_percent as fee, party_key as key, party_value as value,
      payout.created_at as since
    from merchants
    left join merchant_payout_accounts as payout
      on payout.merchant_id = merchants.id and payout.replaced_at is null
    where merchants.id = ${merchantId}`.execute(database);
  const [row] = rows;
  const payout =
    row?.key && row.value && row.since
      ? { key: row.key, value: row.value, since: row.since }
      : null;
  return { serviceFeePercent: row?.fee ?? null, payout };
}
