import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import type { Operator, StoredNumber } from '../../domain/phone.ts';
import { type Route, routeKindOf } from '../../domain/providers.ts';
import type { TopupFacts, TopupKind, TopupStatus } from '../../domain/topup.ts';
import type { Caller } from '../../domain/vouchers/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { TopupAttemptsTable, TopupsTable } from '../generated/tables.ts';
import { heldAmount } from '../ledger/ledger.ts';
import { type LimitsLeft, limitsLeft, type NumberCount } from '../limits/daily-limits.ts';
import { type ListSource, listColumns } from '../lists/list-page.ts';
import { hasNumber } from '../phone-numbers.ts';
import { isTopupBlocked } from '../positions/cases.ts';
import {
  providerOf,
  providerReferenceOf,
  type ShownPlacement,
  shownPlacements,
} from '../positions/placements.ts';
import { routesFor } from '../providers.ts';

/** The current state of a top-up, regardless of its first answer. Times are texts in ISO 8601. */
interface TopupTruth {
  /** Whether the partner's wallet has paid for it. */
  readonly charged: boolean;
  /** Delivered after a failure. */
  readonly late_delivery: { readonly at: string; readonly is_settled: boolean } | null;
  /** Reversed by the provider after the delivery. */
  readonly reversal: { readonly at: string; readonly is_credited: boolean } | null;
}

/** For an attempt `try`: its provider took it back after the delivery. */
const isTakenBack = sql`(try.status = 'POSTED' and not try.is_done)`;

/** For an attempt `try`: it was delivered after it had failed. */
const isDeliveredLate = sql`(try.status = 'VOIDED' and try.is_done)`;

/*
 * None of these is `exists`, which PostgreSQL may answer for many top-ups by reading all attempts of
 * everybody once.
 */

/** The columns of a TopupTruth. */
const topupTruth = sql`
  coalesce((select true from topup_attempts as try where try.topup_id = topups.id
    and try.charged limit 1), false) as charged,
  (select json_build_object('at', try.changed_at, 'is_settled', not ${isTopupBlocked(sql`topups.id`)})
    from topup_attempts as try where try.topup_id = topups.id and ${isDeliveredLate}
    order by try.attempt desc limit 1) as late_delivery,
  (select json_build_object('at', try.changed_at, 'is_credited', not try.charged)
    from topup_attempts as try where try.topup_id = topups.id and try.attempt = topups.attempt
      and ${isTakenBack}) as reversal`;

/** SQL expression for `topups`: what another attempt would cost; a package its price of now. */
export const amountOfRetry = sql<string | null>`case when topups.kind = 'PACKAGE' then coalesce(
  (select price_amount from products where products.id = topups.product_id), topups.amount)
  else topups.amount end`;

/**
 * SQL expression for an attempt `try` of `topups`: what it held, and was charged if it was delivered. A later
 * attempt may have another price, and the ledger knows what this one held.
 */
export const amountOfAttempt = sql`case when try.attempt = topups.attempt then topups.amount
  else ${heldAmount(sql`try.operation_id`)} end`;

/** A locked top-up with the facts of its checks. */
export interface LockedTopup {
  readonly id: number;
  readonly operation_id: string;
  readonly workflow_id: string;
  readonly request_digest: string;
  readonly provider_reference: string | null;
  readonly partner_id: number;
  readonly kind: TopupKind;
  readonly product_id: number | null;
  readonly amount: string | null;
  readonly msisdn: StoredNumber;
  readonly status: TopupStatus;
  readonly attempt: number;
  readonly message: string | null;
  /** A case is open: an attempt may have been delivered. */
  readonly is_blocked: SqlBool;
  /** The requesting operation has made an attempt. */
  readonly has_begun: SqlBool;
}

/**
 * Locks a top-up's row; every change of a top-up starts here. Without an id it is the top-up of the
 * operation.
 */
export const lockTopup = (
  transaction: DatabaseTransaction,
  topup: { readonly operationId?: string; readonly id?: number | undefined },
): Promise<LockedTopup | undefined> =>
  transaction
    .selectFrom('topups')
    .select([
      'id',
      'operation_id',
      'workflow_id',
      'request_digest',
      'provider_reference',
      'partner_id',
      'kind',
      'product_id',
      'amount',
      'msisdn',
      'status',
      'attempt',
      'message',
    ])
    .select(isTopupBlocked(sql.ref('topups.id')).as('is_blocked'))
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
    .set({ status: 'FAILED', message, updated_at: sql<Date>`now()` })
    .where('id', '=', topupId)
    .where('status', '=', 'PENDING')
    .execute();
}

type TopupRow = Omit<Selectable<TopupsTable>, 'partner_id'>;

/** A top-up with its current state. */
export type ListedTopup = TopupRow & TopupTruth;

/** A partner's top-ups. The phone number can be neither filtered nor searched. */
export const topupSource: ListSource<ListedTopup> = {
  name: 'topups',
  select: sql`id, created_at, updated_at, operation_id, request_digest, kind, product_id, amount,
    msisdn, operator, status, attempt, provider_reference, message, exchange_rate, currency,
    originating_country, foreign_currency_amount, ${topupTruth}`,
  from: () => sql`topups`,
  where: (partnerId) => sql`partner_id = ${partnerId}::bigint`,
  id: sql`id`,
  addedAt: sql`created_at`,
  columns: {
    transactionId: listColumns.integer(sql`id`),
    createdAt: listColumns.time(sql`created_at`),
    updatedAt: listColumns.time(sql`updated_at`),
    kind: listColumns.text(sql`kind`),
    status: listColumns.text(sql`status`),
    amount: listColumns.decimal(sql`amount`),
    productId: listColumns.integer(sql`product_id`),
    attempt: listColumns.integer(sql`attempt`),
    // Ours or the provider's, of any attempt.
    reference: listColumns.lookUp(
      (reference) => sql`exists (
        select from topup_attempts as try join placements as placement using (operation_id)
        where try.topup_id = topups.id and (placement.reference = ${reference}::text
          or placement.provider_reference = ${reference}::text))`,
    ),
  },
};

const productName = sql`(select product_name from products where products.id = product_id)
  as "productName"`;

/** A top-up with the name of its package, if it has one. */
export type NamedTopup = ListedTopup & { readonly productName: string | null };

/** The list of top-ups, with the names of packages. */
export const namedTopupSource: ListSource<NamedTopup> = {
  ...topupSource,
  select: sql`${topupSource.select}, ${productName}`,
};

/** Times are texts in ISO 8601. */
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
export type TopupDetail = NamedTopup & {
  readonly attempts: readonly Attempt[];
  /** Decimal string: what another attempt would cost. Null for a package that was never held and is gone. */
  readonly amountOfRetry: string | null;
  /** The open case of one of its attempts; null where there is none. */
  readonly caseId: number | null;
};

/**
 * A partner's top-up with its attempts in one snapshot; a top-up of another partner is not found.
 */
export async function findTopupDetail(
  database: Database,
  partnerId: number,
  topupId: number,
): Promise<TopupDetail | undefined> {
  const { rows } = await sql<TopupDetail>`
    select ${namedTopupSource.select}, ${amountOfRetry} as "amountOfRetry",
      (select min(found.id) from cases as found
        where found.topup_id = topups.id and found.closed_at is null) as "caseId", (
      select coalesce(json_agg(json_build_object('attempt', try.attempt, 'at', try.created_at,
        'settledAt', settled_at, 'charged', charged,
        'lateAt', case when try.status = 'VOIDED' and is_done then changed_at end,
        'takenBackAt', case when try.status = 'POSTED' and not is_done then changed_at end,
        'operationId', try.operation_id, 'msisdn', try.msisdn, 'status', try.status,
        'reference', reference,
        'provider', ${providerOf(sql`try.operation_id`)},
        'providerReference', ${providerReferenceOf(sql`try.operation_id`)},
        'providerMessage', provider_message, 'notDoneBy', not_done_by,
        'placements', ${shownPlacements(sql`try.operation_id`)}) order by try.attempt), '[]')
      from topup_attempts as try where try.topup_id = topups.id) as attempts
    from topups where id = ${topupId} and ${topupSource.where(partnerId)}`.execute(database);
  return rows[0];
}

/** A partner's top-up with its current state; a top-up of another partner is not found. */
export async function findListedTopup(
  database: Database,
  partnerId: number,
  topupId: number,
): Promise<ListedTopup | undefined> {
  const { rows } = await sql<ListedTopup>`
    select ${topupSource.select} from topups
    where id = ${topupId} and ${topupSource.where(partnerId)}`.execute(database);
  return rows[0];
}

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

/** The newest top-ups, of all partners or one. */
export const listTopups = (
  database: Database,
  selection: {
    readonly partnerId: number | undefined;
    readonly status: TopupStatus | undefined;
    /** Of the number of the top-up, or of a later attempt. */
    readonly numberHash: string | undefined;
    readonly limit: number;
  },
) => {
  const { partnerId, status, numberHash } = selection;
  let query = database
    .selectFrom('topups')
    .leftJoin('products', 'products.id', 'topups.product_id')
    .select([
      'topups.id',
      'topups.created_at as createdAt',
      'topups.status',
      'topups.partner_id as partnerId',
      'topups.kind',
      'product_name as product',
      'topups.amount',
      'topups.msisdn',
      'topups.attempt',
      'topups.provider_reference as providerReference',
    ])
    .orderBy('topups.id', 'desc')
    .limit(selection.limit);
  if (partnerId !== undefined) query = query.where('topups.partner_id', '=', partnerId);
  if (status !== undefined) query = query.where('topups.status', '=', status);
  if (numberHash !== undefined)
    query = query.where((where) =>
      where.or([
        hasNumber('topups.msisdn', numberHash),
        where.exists(
          where
            .selectFrom('topup_attempts')
            .select('topup_id')
            .whereRef('topup_id', '=', 'topups.id')
            .where(hasNumber('topup_attempts.msisdn', numberHash)),
        ),
      ]),
    );
  return query.execute();
};

/** The owner of a top-up; undefined where the id does not exist. */
export const findTopupOwner = async (
  database: Database,
  topupId: number,
): Promise<number | undefined> =>
  (
    await database
      .selectFrom('topups')
      .select('partner_id')
      .where('id', '=', topupId)
      .executeTakeFirst()
  )?.partner_id;
