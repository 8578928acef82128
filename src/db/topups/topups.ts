import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { CompanyAuthority } from '../../domain/access.ts';
import { type Money, parseMoney } from '../../domain/money.ts';
import type { Operator, StoredNumber } from '../../domain/phone.ts';
import { type Route, routeKindOf } from '../../domain/providers.ts';
import type { TopupFacts, TopupKind } from '../../domain/topup.ts';
import type { Caller } from '../../domain/vouchers/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import { type Database, type DatabaseTransaction, firstRow, now, onlyRow } from '../connection.ts';
import type { TopupAttemptsTable } from '../generated/tables.ts';
import { type LimitsLeft, limitsLeft, type NumberCount } from '../limits/daily-limits.ts';
import type { RowOf } from '../lists/list.ts';
import { allTopups, topupList } from '../lists/topups.ts';
import { isTopupBlocked, oldestOpenCase } from '../positions/cases.ts';
import {
  doerOf,
  providerReferenceOf,
  type ShownPlacement,
  shownPlacements,
} from '../positions/placements.ts';
import { routesFor } from '../providers.ts';

/** SQL expression for `topups`: what another attempt would cost; a package its price of now. */
export const amountOfRetry = sql<string | null>`case when topups.kind = 'PACKAGE' then coalesce(
  (select price_amount from products where products.id = topups.product_id), topups.amount)
  else topups.amount end`;

/** A locked top-up with the facts of its checks. */
export type LockedTopup = NonNullable<Awaited<ReturnType<typeof lockTopup>>>;

/**
 * Locks a top-up's row; every change of a top-up starts here. Without an id it is the top-up of the
 * operation.
 */
export const lockTopup = (
  transaction: DatabaseTransaction,
  topup: { readonly operationId?: string; readonly id?: number | undefined },
) =>
  transaction
    .selectFrom('topups')
    .select([
      'id',
      'operation_id',
      'request_digest',
      'partner_id',
      'kind',
      'product_id',
      'amount',
      'msisdn',
      'status',
      'attempt',
    ])
    // The requesting operation has made an attempt.
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('topup_attempts')
          .select('attempt')
          .where('operation_id', '=', topup.operationId ?? ''),
      ).as('has_begun'),
    )
    .where((where) =>
      topup.id === undefined
        ? where('operation_id', '=', topup.operationId ?? '')
        : where('id', '=', topup.id),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Fails an accepted top-up that is refused before any hold. */
export async function failUnbegunTopup(
  transaction: DatabaseTransaction,
  topupId: number,
  message: string,
): Promise<void> {
  await transaction
    .updateTable('topups')
    .set({ status: 'FAILED', message, updated_at: now })
    .where('id', '=', topupId)
    .where('status', '=', 'PENDING')
    .execute();
}

/** An attempt for people. Times are texts in ISO 8601. */
interface Attempt {
  readonly attempt: number;
  readonly at: string;
  readonly settledAt: string | null;
  /** When it was found delivered after it had failed, or taken back after it had been delivered. */
  readonly lateAt: string | null;
  readonly takenBackAt: string | null;
  readonly charged: boolean;
  readonly operationId: string;
  readonly msisdn: StoredNumber;
  readonly status: Selectable<TopupAttemptsTable>['status'];
  readonly reference: string;
  readonly provider: string;
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  readonly notDoneBy: Selectable<TopupAttemptsTable>['not_done_by'];
  /** At least one: the provider of each sending. */
  readonly placements: readonly ShownPlacement[];
}

/** A top-up with its attempts, first to last. */
export type TopupDetail = RowOf<typeof allTopups> & {
  /** The name of its partner. */
  readonly partner: string;
  readonly workflowId: string;
  readonly attempts: readonly Attempt[];
  /** Decimal string: what another attempt would cost. Null for a package that was never held and is gone. */
  readonly amountOfRetry: string | null;
  /** The open case of one of its attempts; null where there is none. */
  readonly caseId: number | null;
};

/**
 * A top-up with its attempts in one snapshot: any for an operator, its own for a partner; a top-up of another partner
 * is not found.
 */
export function findTopupDetail(database: Database, viewer: 'operator' | number, topupId: number) {
  const isSeen = viewer === 'operator' ? sql`true` : topupList.where(viewer);
  return firstRow<TopupDetail>(database)`
    select ${allTopups.select}, ${amountOfRetry} as "amountOfRetry", workflow_id as "workflowId",
      (select company_name from partners where partners.id = topups.partner_id) as partner,
      ${oldestOpenCase(sql`found.topup_id = topups.id`)} as "caseId", (
      select coalesce(json_agg(json_build_object('attempt', try.attempt, 'at', try.created_at,
        'settledAt', settled_at, 'charged', charged,
        'lateAt', case when try.status = 'VOIDED' and is_done then changed_at end,
        'takenBackAt', case when try.status = 'POSTED' and not is_done then changed_at end,
        'operationId', try.operation_id, 'msisdn', try.msisdn, 'status', try.status,
        'reference', reference,
        'provider', ${doerOf(sql`try.operation_id`)},
        'providerReference', ${providerReferenceOf(sql`try.operation_id`)},
        'providerMessage', provider_message, 'notDoneBy', not_done_by,
        'placements', ${shownPlacements(sql`try.operation_id`)}) order by try.attempt), '[]')
      from topup_attempts as try where try.topup_id = topups.id) as attempts
    from topups where id = ${topupId} and ${isSeen}`;
}

/** The partner and the product of the top-up. */
interface TopupSubject {
  readonly partner_id: number;
  readonly kind: TopupKind;
  readonly product_id: number | null;
}

/** The facts of the price of a top-up, apart from its row. */
export interface TopupContext extends CompanyAuthority {
  readonly partner: string;
  /** Decimal string. */
  readonly walletBalance: string;
  /** Null unless the partner has access to a matching active product. */
  readonly product:
    | (Omit<NonNullable<TopupFacts['product']>, 'price'> & {
        readonly id: number;
        readonly name: string | null;
        /** Decimal string. */
        readonly price: string | null;
      })
    | null;
  readonly routes: readonly Route[];
}

/**
 * Reads the facts of a locked top-up in one round trip. Airtime uses the one airtime product of the partner, which may
 * have replaced the product of an earlier attempt.
 */
export const topupContext = (
  database: Database,
  topup: TopupSubject & { readonly id: number },
  company: Caller,
) =>
  readContext(
    database,
    topup,
    company,
    // A case may have been opened while the lock was waited for.
    sql<{ readonly isBlocked: boolean }>`${isTopupBlocked(topup.id)} as "isBlocked"`,
  );

/** The facts of the price of a top-up and the rest of its limits, for a quote. */
export const readTopupQuote = (
  database: Database,
  topup: TopupSubject,
  asked: { readonly company: Caller; readonly number: NumberCount | undefined },
): Promise<TopupContext & LimitsLeft> =>
  readContext(database, topup, asked.company, limitsLeft(asked.company, asked.number));

const readContext = <Further>(
  database: Database,
  topup: TopupSubject,
  company: Caller,
  further: RawBuilder<Further>,
) =>
  onlyRow<TopupContext & Further>(database, 'The top-up has no partner')`
    select ${isStillAdmitted(company, 'top-up')} as "isAdmitted",
      partners.status = 'ACTIVE' as "companyIsActive", company_name as partner,
      wallet.balance as "walletBalance",
      case when product.id is not null then jsonb_build_object('id', product.id,
        'name', product_name, 'operator', operator, 'price', price_amount::text,
        'providerProductId', provider_product_id) end as product,
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
        and (products.kind = 'AIRTIME' or products.id = ${topup.product_id}::bigint)
      order by products.id limit 1
    ) as product on true
    where partners.id = ${topup.partner_id}`;

/** The facts of domain/topup.ts that the rows hold. */
export const topupFacts = (
  topup: { readonly kind: TopupKind; readonly amount: string | null },
  context: TopupContext,
  operator: Operator | undefined,
): Omit<TopupFacts, 'canCarry'> => ({
  ...context,
  kind: topup.kind,
  product: context.product && { ...context.product, price: moneyOf(context.product.price) },
  requestedAmount: moneyOf(topup.amount),
  operator,
  walletBalance: parseMoney(context.walletBalance),
});

const moneyOf = (amount: string | null): Money | null =>
  amount === null ? null : parseMoney(amount);
