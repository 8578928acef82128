import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../domain/voucher.ts';
import type { GenerationAuthority, GenerationFacts } from '../../domain/vouchers/generation.ts';
import { isStillAdmitted } from '../access/access.ts';
import type { Database } from '../connection.ts';
import { type LimitsLeft, limitsLeft } from '../limits/limits-left.ts';
import type { NumberCount } from '../limits/number-counts.ts';

/** Who generates a voucher, of which amount and for which merchant. */
export interface GenerationSubject {
  readonly partner: Caller;
  readonly merchant: { readonly id: number } | { readonly identifier: string };
  readonly denominationId: number;
}

/** The facts of a generation as a row; a missing merchant, denomination or price is null. */
export interface GenerationFactsRow {
  readonly has_access: boolean;
  readonly merchant_id: number | null;
  readonly amount: string | null;
  readonly selling_price_usd: string | null;
  readonly balance: string;
}

export const factsOf = (row: GenerationFactsRow): GenerationFacts => ({
  hasAccess: row.has_access,
  merchantId: row.merchant_id,
  denominationAmount: row.amount,
  sellingPriceUsd: row.selling_price_usd,
  giftBalance: row.balance,
});

/** SQL query: the facts as one row, with further columns. */
export function generationFacts(
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
