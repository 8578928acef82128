import { sql } from 'kysely';
import type { Caller } from '../domain/voucher.js';
import { isStillAdmitted } from './access.js';
import type { Database } from './connection.js';
import type { StoredOperation } from './operations.js';

export interface NewVoucher {
  readonly operationId: string;
  readonly requestId: string;
  readonly requestDigest: string;
  readonly partner: Caller;
  readonly merchantId: number;
  readonly denominationId: number;
  /** Decimal strings. */
  readonly amount: string;
  readonly sellingPriceUsd: string;
  readonly serialNumber: string;
  readonly codeDigest: Buffer;
  readonly codeCiphertext: string;
  readonly ownerMsisdn: string | null;
  readonly isRestricted: boolean;
  readonly validityDays: number;
  readonly exchangeRate: string | null;
  readonly currency: string | null;
  readonly originatingCountry: string | null;
  readonly foreignCurrencyAmount: string | null;
}

/**
 * Generates a voucher: its row, the transfer gift → reserved and the settled operation, in one
 * statement and so in one transaction and one round trip. Undefined when the partner may not any
 * more: it is suspended, or its key or token has been revoked.
 *
 * @throws a violation of `balanceConstraint` when the wallet does not cover the amount, of
 *   `vouchers_operation_id_key` when the operation was already carried out
 */
export async function insertVoucher(
  database: Database,
  voucher: NewVoucher,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    with voucher as (
      insert into vouchers (operation_id, partner_id, merchant_id, denomination_id, serial_number,
        code_digest, code_ciphertext, owner_msisdn, is_restricted, amount, remaining, expires_at,
        selling_price_usd, exchange_rate, currency, originating_country, foreign_currency_amount)
      select ${voucher.operationId}, id, ${voucher.merchantId}::bigint,
        ${voucher.denominationId}::bigint, ${voucher.serialNumber}, ${voucher.codeDigest},
        ${voucher.codeCiphertext}, ${voucher.ownerMsisdn}, ${voucher.isRestricted}::boolean,
        ${voucher.amount}::numeric, ${voucher.amount}::numeric,
        now() + make_interval(secs => ${voucher.validityDays}::float8 * 86400),
        ${voucher.sellingPriceUsd}::numeric, ${voucher.exchangeRate}, ${voucher.currency},
        ${voucher.originatingCountry}, ${voucher.foreignCurrencyAmount}
      from partners where id = ${voucher.partner.id} and status = 'ACTIVE'
        and ${isStillAdmitted(voucher.partner)}
      returning id
    ), operation as (
      insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
        status, outcome)
      select ${voucher.operationId}, 'partner', ${voucher.partner.id}::bigint, 'generate-voucher',
        ${voucher.requestId}::uuid, ${voucher.requestDigest}, 'SUCCEEDED',
        jsonb_build_object('ok', true, 'voucherId', id)
      from voucher
      on conflict (id) do update set
        request_id = excluded.request_id, request_digest = excluded.request_digest,
        status = excluded.status, outcome = excluded.outcome
        where operations.status = 'REFUSED'
    ), transfer as (
      insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
      select ${voucher.operationId}, 'reserve', gift.id, reserved.id, ${voucher.amount}::numeric
      from voucher, ledger_accounts as gift, ledger_accounts as reserved
      where gift.kind = 'gift' and gift.partner_id = ${voucher.partner.id}
        and reserved.kind = 'reserved' and reserved.partner_id = ${voucher.partner.id}
    )
    select id from voucher`.execute(database);
  return rows[0]?.id;
}

/** The voucher that an operation generated. */
export const voucherOfOperation = (database: Database, operationId: string) =>
  database
    .selectFrom('vouchers')
    .select('id')
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();

/** What generating a voucher depends on, read in one round trip. */
export interface GenerationFacts {
  readonly operation: StoredOperation | undefined;
  readonly hasAccess: boolean;
  readonly merchantId: number | null;
  readonly denominationAmount: string | null;
  readonly sellingPriceUsd: string | null;
  readonly giftBalance: string;
}

/** Reads the facts for one generation; a missing merchant, denomination or price is null. */
export async function generationFacts(
  database: Database,
  request: {
    readonly operationId: string;
    readonly partnerId: number;
    readonly denominationId: number;
    readonly merchant: { readonly id: number } | { readonly identifier: string };
  },
): Promise<GenerationFacts> {
  const merchantCondition =
    'id' in request.merchant
      ? sql`merchants.id = ${request.merchant.id}`
      : sql`merchants.identifier = ${request.merchant.identifier}`;
  const { rows } = await sql<{
    operation: StoredOperation | null;
    has_access: boolean;
    merchant_id: number | null;
    amount_etb: string | null;
    selling_price_usd: string | null;
    balance: string;
  }>`
    select wallet.balance, denomination.amount_etb, merchant.id as merchant_id,
      price.selling_price_usd,
      (select jsonb_build_object('status', status, 'request_id', request_id,
          'request_digest', request_digest, 'outcome', outcome)
        from operations where id = ${request.operationId}) as operation,
      exists (
        select from partner_products
        join products on products.id = partner_products.product_id
        where partner_products.partner_id = ${request.partnerId}
          and products.kind = 'GIFT' and products.status = 'ACTIVE'
          and products.deleted_at is null
          and products.id = coalesce(denomination.product_id, products.id)
      ) as has_access
    from ledger_accounts as wallet
    left join gift_denominations as denomination
      on denomination.id = ${request.denominationId} and denomination.status = 'ACTIVE'
    left join lateral (
      select id from merchants
      where ${merchantCondition} and status = 'ACTIVE' and deleted_at is null
    ) as merchant on true
    left join lateral (
      select selling_price_usd from partner_gift_denomination_prices
      where partner_id = ${request.partnerId} and denomination_id = denomination.id
        and replaced_at is null and (merchant_id is null or merchant_id = merchant.id)
      order by merchant_id nulls last limit 1
    ) as price on true
    where wallet.kind = 'gift' and wallet.partner_id = ${request.partnerId}`.execute(database);
  const row = rows[0];
  if (!row) throw new Error('The partner has no gift wallet');
  return {
    operation: row.operation ?? undefined,
    hasAccess: row.has_access,
    merchantId: row.merchant_id,
    denominationAmount: row.amount_etb,
    sellingPriceUsd: row.selling_price_usd,
    giftBalance: row.balance,
  };
}

/** The generated voucher that a partner is answered with; the code still encrypted. */
export const generatedVoucher = (database: Database, voucherId: number) =>
  database
    .selectFrom('vouchers')
    .select(['id', 'operation_id', 'code_ciphertext', 'amount'])
    .where('id', '=', voucherId)
    .executeTakeFirstOrThrow();
