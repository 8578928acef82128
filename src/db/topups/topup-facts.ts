import { type RawBuilder, sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import type { Operator } from '../../domain/operator.ts';
import { type Route, routeKindOf } from '../../domain/providers/routes.ts';
import type { TopupFacts, TopupKind } from '../../domain/topup.ts';
import type { Caller } from '../../domain/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import type { Database } from '../connection.ts';
import { type LimitsLeft, limitsLeft } from '../limits/limits-left.ts';
import type { NumberCount } from '../limits/number-counts.ts';
import { routesFor } from '../providers/provider-routes.ts';

/** Whose top-up it is, and of what. */
interface TopupSubject {
  readonly partner_id: number;
  readonly kind: TopupKind;
  readonly product_id: number | null;
}

/** The facts of a top-up's price besides its own row. */
export interface TopupContext {
  readonly is_admitted: boolean;
  readonly partner_status: 'ACTIVE' | 'SUSPENDED';
  readonly wallet_balance: string;
  /** Null unless the partner has access to a matching active product. */
  readonly product_id: number | null;
  readonly product_name: string | null;
  readonly product_operator: Operator | null;
  readonly price_amount: string | null;
  readonly provider_product_id: number | null;
  readonly routes: readonly Route[];
}

/** Reads the facts in one round trip. Airtime uses the one airtime product of the partner. */
export const topupContext = (
  database: Database,
  topup: TopupSubject,
  company: Caller,
): Promise<TopupContext> => readContext(database, topup, company, sql`null`);

/** The same with what limits leave, for a quote. */
export const readTopupQuote = (
  database: Database,
  topup: TopupSubject,
  asked: { readonly company: Caller; readonly number: NumberCount | undefined },
): Promise<TopupContext & LimitsLeft> =>
  readContext(database, topup, asked.company, limitsLeft(asked.company, asked.number));

async function readContext<Further>(
  database: Database,
  topup: TopupSubject,
  company: Caller,
  further: RawBuilder<Further>,
): Promise<TopupContext & Further> {
  const { rows } = await sql<TopupContext & Further>`
    select ${isStillAdmitted(company, 'top-up')} as is_admitted,
      partners.status as partner_status, wallet.balance as wallet_balance,
      product.id as product_id, product.product_name, product.operator as product_operator,
      product.price_amount, product.provider_product_id,
      ${routesFor(routeKindOf(topup.kind), { partnerId: topup.partner_id, merchantId: null })} as routes,
      ${further}
    from partners
    join ledger_accounts as wallet
      on wallet.kind = 'airtime' and wallet.partner_id = partners.id
    left join lateral (
      select products.id, product_name, operator, price_amount, provider_product_id
      from partner_products
      join products on products.id = partner_products.product_id
      where partner_products.partner_id = partners.id
        and products.kind = ${topup.kind} and products.status = 'ACTIVE'
        and products.deleted_at is null
        and products.id = coalesce(${topup.product_id}::bigint, products.id)
      order by products.id limit 1
    ) as product on true
    where partners.id = ${topup.partner_id}`.execute(database);
  const [context] = rows;
  if (!context) throw new Error('The top-up has no partner');
  return context;
}

/** The facts of domain/topup.ts that the rows hold. */
export const topupFacts = (
  topup: { readonly kind: TopupKind; readonly amount: string | null },
  context: TopupContext,
  operator: Operator | undefined,
): Omit<TopupFacts, 'isAdmitted' | 'canCarry'> => ({
  kind: topup.kind,
  partnerIsActive: context.partner_status === 'ACTIVE',
  product:
    context.product_id === null
      ? undefined
      : {
          operator: context.product_operator,
          price: context.price_amount === null ? null : parseMoney(context.price_amount),
          providerProductId: context.provider_product_id,
        },
  requestedAmount: topup.amount === null ? null : parseMoney(topup.amount),
  operator,
  walletBalance: parseMoney(context.wallet_balance),
});
