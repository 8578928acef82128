import { allRows, type Database } from '../connection.ts';
import { staffName } from '../people/accounts.ts';
import { limitedTo, type RowPage } from '../row-page.ts';
import type { NewPrice } from './prices.ts';

/** A price that was or is in force. */
export interface PastPrice {
  readonly sellingPriceUsd: string;
  /** Null: for every merchant without its own price. */
  readonly merchant: string | null;
  readonly from: Date;
  /** Null: it is in force. */
  readonly until: Date | null;
  /** The actor of the audit log; null where the partner's server has set it by the API. */
  readonly actor: string | null;
  /** Of a person of the service. */
  readonly staffName: string | null;
  /** Why a person of the service set it. */
  readonly why: string | null;
}

/** The prices of a partner's denomination, the newest first, with who has set each. */
export function priceHistory(
  database: Database,
  { partnerId, denominationId }: Pick<NewPrice, 'partnerId' | 'denominationId'>,
  page: RowPage,
) {
  // An entry of the audit log has the time of the transaction that it is about, as the price has.
  return allRows<PastPrice>(database)`
    with entries as (
      select distinct on (at) at, actor, details->>'why' as why from audit_log
      where subject_kind = 'partner' and subject_id = ${partnerId}
        and action = 'set selling-price')
    select selling_price_usd as "sellingPriceUsd", merchant_name as merchant,
      price.created_at as from, replaced_at as until, actor, ${staffName('entries.actor')} as "staffName", why
    from partner_gift_denomination_prices as price
    left join merchants on merchants.id = price.merchant_id
    left join entries on entries.at = price.created_at
    where price.partner_id = ${partnerId} and price.denomination_id = ${denominationId}
    order by price.id desc ${limitedTo(page)}`;
}
