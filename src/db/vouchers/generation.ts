import { sql } from 'kysely';
import type { Caller } from '../../domain/voucher.js';
import { isStillAdmitted } from '../access/access.js';
import type { Database } from '../connection.js';
import {
  digestsOf,
  type StoredOperation,
  storedOperation,
} from '../operations/stored-operations.js';

/** The voucher that a partner requests. */
export interface GenerationRequest {
  readonly operationId: string;
  readonly requestId: string;
  readonly requestDigest: string;
  readonly earlierDigests?: readonly string[];
  readonly partner: Caller;
  readonly merchant: { readonly id: number } | { readonly identifier: string };
  readonly denominationId: number;
  readonly serialNumber: string;
  readonly codeDigest: Buffer;
  readonly codeCiphertext: string;
  readonly ownerMsisdn: string | null;
  readonly isRestricted: boolean;
  readonly validityDays: number;
  /** Decimal string. */
  readonly exchangeRate: string | null;
  readonly currency: string | null;
  readonly originatingCountry: string | null;
  /** Decimal string. */
  readonly foreignCurrencyAmount: string | null;
}

/** The facts of a generation; a missing merchant, denomination or price is null. */
export interface GenerationFacts {
  /** The operation before this statement; if it was pruned, reconstructed from its voucher. */
  readonly operation: StoredOperation | undefined;
  readonly hasAccess: boolean;
  readonly merchantId: number | null;
  /** Decimal strings. */
  readonly denominationAmount: string | null;
  readonly sellingPriceUsd: string | null;
  readonly giftBalance: string;
}

/** The facts, and the voucher's id if they allow it. */
export interface Generation extends GenerationFacts {
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
 * @throws a violation of `balanceConstraint` when a concurrent voucher spent the balance, or of
 * `vouchers_operation_id_key` when a concurrent request has the same operation
 */
export async function insertVoucher(
  database: Database,
  request: GenerationRequest,
): Promise<Generation> {
  const partnerId = request.partner.id;
  const { rows } = await sql<{
    operation: StoredOperation | null;
    has_access: boolean;
    merchant_id: number | null;
    amount: string | null;
    selling_price_usd: string | null;
    balance: string;
    voucher_id: number | null;
  }>`
    with facts as (
      ${factsOf(request)}
    ), voucher as (
      insert into vouchers (operation_id, request_digest, partner_id, merchant_id, denomination_id, serial_number,
        code_digest, code_ciphertext, owner_msisdn, is_restricted, amount, remaining, expires_at,
        selling_price_usd, exchange_rate, currency, originating_country, foreign_currency_amount)
      select ${request.operationId}, ${request.requestDigest}, partners.id, facts.merchant_id,
        ${request.denominationId}::bigint, ${request.serialNumber}, ${request.codeDigest},
        ${request.codeCiphertext}, ${request.ownerMsisdn}, ${request.isRestricted}::boolean,
        facts.amount, facts.amount,
        now() + make_interval(secs => ${request.validityDays}::float8 * 86400),
        facts.selling_price_usd, ${request.exchangeRate}, ${request.currency},
        ${request.originatingCountry}, ${request.foreignCurrencyAmount}
      from facts, partners
      where facts.has_access and facts.merchant_id is not null
        and facts.selling_price_usd is not null and facts.balance >= facts.amount
        and (facts.operation is null or facts.operation ->> 'status' = 'REFUSED'
          and facts.operation ->> 'request_digest' <> all(${digestsOf(request)}::text[]))
        and partners.id = ${partnerId} and partners.status = 'ACTIVE'
        and ${isStillAdmitted(request.partner)}
      returning id, amount
    ), operation as (
      insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
        status, outcome)
      select ${request.operationId}, 'partner', ${partnerId}::bigint, 'generate-voucher',
        ${request.requestId}::uuid, ${request.requestDigest}, 'SUCCEEDED',
        jsonb_build_object('ok', true, 'voucherId', id)
      from voucher
      on conflict (id) do update set
        request_id = excluded.request_id, request_digest = excluded.request_digest,
        status = excluded.status, outcome = excluded.outcome
        where operations.status = 'REFUSED'
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
    operation: row.operation ?? undefined,
    hasAccess: row.has_access,
    merchantId: row.merchant_id,
    denominationAmount: row.amount,
    sellingPriceUsd: row.selling_price_usd,
    giftBalance: row.balance,
    voucherId: row.voucher_id,
  };
}

/** SQL expression: the facts as one row. */
function factsOf({ operationId, partner, merchant, denominationId }: GenerationRequest) {
  const isMerchant =
    'id' in merchant
      ? sql`merchants.id = ${merchant.id}`
      : sql`merchants.identifier = ${merchant.identifier}`;
  return sql`
    select wallet.balance, denomination.amount_etb as amount, merchant.id as merchant_id,
      price.selling_price_usd,
      (select to_jsonb(stored) from (
          ${storedOperation('generate-voucher', operationId)}) as stored) as operation,
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

/** The generated voucher for the answer; the code is still encrypted. */
export const generatedVoucher = (database: Database, voucherId: number) =>
  database
    .selectFrom('vouchers')
    .select(['id', 'operation_id', 'code_ciphertext', 'amount'])
    .where('id', '=', voucherId)
    .executeTakeFirstOrThrow();
