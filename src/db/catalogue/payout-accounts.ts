import { type RawBuilder, sql } from 'kysely';
import { type PayoutAccountState, refusedStates } from '../../domain/payout-account.ts';
import type { MobileMoneyProviderName } from '../../domain/providers.ts';
import {
  allRows,
  type Database,
  type DatabaseTransaction,
  firstValue,
  now,
} from '../connection.ts';

/** The payout account of a redemption, and the providers that have accepted it. */
export interface PaidAccount {
  /** Null where the account is no longer known. */
  readonly id: number | null;
  /** The providers that have answered for it, so that payments may go to it. */
  readonly checkedBy: readonly string[];
  /** The holder that the operator expects. */
  readonly holder: string | null;
}

const unknownAccount: PaidAccount = { id: null, checkedBy: [], holder: null };

/** The providers whose answer lets payments go to an account, as in `isPayable`; its alias is `account`. */
const checkedBy = sql`(select coalesce(jsonb_agg(done.provider), '[]')
  from payout_account_checks as done
  where done.payout_account_id = account.id
    and (account.holder_name is null and done.state in ('open', 'not-offered')
      or done.state = 'open' and done.holder_name is not null))`;

/**
 * If no provider has confirmed the registered holder of an open account, the account counts as
 * `not-offered`.
 */
const stateNow = sql<PayoutAccountState | null>`case
  when done.state = 'open' and done.holder_name is null and account.holder_name is not null then 'not-offered'
  else done.state end`;

/** The account that the alias `account` names, null where there is none. */
export const accountWithChecks: RawBuilder<PaidAccount> = sql`jsonb_build_object(
  'id', account.id, 'holder', account.holder_name, 'checkedBy', ${checkedBy})`;

/** SQL expression: the payout account of a redemption, in the query of the redemption. */
export const paidAccount: RawBuilder<PaidAccount> = sql`coalesce((
    select ${accountWithChecks} from merchant_payout_accounts as account
    where account.merchant_id = redemptions.merchant_id
      and account.party_key = redemptions.payee->0->>'key'
      and account.party_value = redemptions.payee->0->>'value'
    order by account.id desc limit 1), ${sql.lit(JSON.stringify(unknownAccount))}::jsonb)`;

/**
 * Records what a provider says of an account; its last answer counts. A provider that does not
 * answer the question takes back no answer that lets payments go.
 */
export async function recordAccountCheck(
  database: Database,
  check: {
    readonly accountId: number;
    readonly provider: MobileMoneyProviderName;
    readonly state: PayoutAccountState;
    readonly holder: string | null;
  },
): Promise<void> {
  const tellsHolder =
    check.state !== 'not-offered' && (check.state !== 'open' || check.holder !== null);
  const said = {
    state: check.state,
    holder_name: check.holder,
    lacks_confirmation: tellsHolder ? false : hasRegisteredHolder(check.accountId),
    checked_at: now,
  };
  await database
    .insertInto('payout_account_checks')
    .values({ payout_account_id: check.accountId, provider: check.provider, ...said })
    .onConflict((conflict) =>
      conflict
        .columns(['payout_account_id', 'provider'])
        .doUpdateSet(said)
        .where(({ eb, or }) =>
          or([
            eb('payout_account_checks.state', '<>', 'open'),
            eb(sql<string>`excluded.state`, '<>', 'not-offered'),
            sql<boolean>`(payout_account_checks.holder_name is null
              and ${hasRegisteredHolder(check.accountId)})`,
          ]),
        ),
    )
    .execute();
}

const hasRegisteredHolder = (accountId: number) => sql<boolean>`exists (
  select from merchant_payout_accounts as account
  where account.id = ${accountId} and account.holder_name is not null)`;

/** The providers that may pay an account now. */
export const payersOfAccount = (database: Database, accountId: number) =>
  firstValue<readonly string[]>(database, [])`
    select ${checkedBy} from merchant_payout_accounts as account where account.id = ${accountId}`;

/** Records that these providers did not pay an account, since none of them has confirmed its holder. */
export async function recordUnconfirmed(
  database: Database,
  { id }: PaidAccount,
  providers: readonly MobileMoneyProviderName[],
): Promise<void> {
  if (id === null) return;
  for (const provider of providers)
    await recordAccountCheck(database, {
      accountId: id,
      provider,
      state: 'not-offered',
      holder: null,
    });
}

/** The current payout accounts with what providers say of them, by merchant. */
export const listAccountChecks = (
  database: Database,
  wanted: {
    readonly merchantId?: number;
    /** Only accounts that are not paid. The given provider serves payments without a route. */
    readonly unpaidWithDefault?: MobileMoneyProviderName;
    readonly limit?: number;
  } = {},
) =>
  currentAccounts(database)
    .select([
      'account.id as accountId',
      'merchants.id as merchantId',
      'merchants.merchant_name as merchant',
      'account.party_key as key',
      'account.party_value as value',
      'account.holder_name as expectedHolder',
      'done.provider',
      stateNow.as('state'),
      'done.holder_name as holder',
      'done.checked_at as checkedAt',
    ])
    .$if(wanted.merchantId !== undefined, (query) =>
      query.where('merchants.id', '=', wanted.merchantId as number),
    )
    .$if(wanted.unpaidWithDefault !== undefined, (query) =>
      query.where(isUnpaid(wanted.unpaidWithDefault as MobileMoneyProviderName)),
    )
    .orderBy('merchants.id')
    .orderBy('done.provider')
    .$if(wanted.limit !== undefined, (query) => query.limit(wanted.limit as number))
    .execute();

/**
 * The number of merchants that cannot be paid, by state and by the provider that refuses the account or cannot
 * confirm its holder. The default provider serves payments without a route.
 */
export function countUnpaidAccounts(database: Database, defaultProvider: MobileMoneyProviderName) {
  // Each account is found by its id: otherwise PostgreSQL would look through all of them.
  return allRows<UnpaidCount>(database)`
    select provider, state, count(*) from (
      select done.provider, ${stateNow} as state
      from (select * from payout_account_checks as done where ${mayBeUnpaid} offset 0) as done
      cross join lateral (
        select * from merchant_payout_accounts
        where id = done.payout_account_id and replaced_at is null offset 0) as account
      join merchants on merchants.id = account.merchant_id and merchants.deleted_at is null
      where ${isUnpaid(defaultProvider)}
    ) as unpaid group by provider, state`;
}

interface UnpaidCount {
  readonly provider: MobileMoneyProviderName;
  readonly state: PayoutAccountState;
  readonly count: number;
}

/** The routes of payouts that hold for the merchant of `account`. */
const routesOfAccount = sql`provider_routes as route where route.kind = 'payout' and route.is_enabled
  and (route.merchant_id is null or route.merchant_id = account.merchant_id)`;

/** Whether payouts to `account` can come to the provider of `other`: by a route, or as the default. */
const isReached = (defaultProvider: MobileMoneyProviderName) => sql`(
  exists (select from ${routesOfAccount} and route.provider = other.provider)
  or other.provider = ${defaultProvider} and not exists (select from ${routesOfAccount}
    and route.operator is null and route.partner_id is null
    and route.amount_from is null and route.amount_to is null))`;

/**
 * An account that a provider refuses, or whose registered holder is not confirmed at a provider
 * that may pay it. The first condition has its indexes: it does not look through the accounts that
 * are paid.
 */
const isUnpaid = (defaultProvider: MobileMoneyProviderName) => sql<boolean>`(${mayBeUnpaid}
  and (done.state in (${states}) or not exists (
    select from payout_account_checks as other
    where other.payout_account_id = done.payout_account_id
      and other.state = 'open' and other.holder_name is not null
      and ${isReached(defaultProvider)})))`;

/** The states are literals, because the plan for any state would look through all checks. */
const states = sql.join(refusedStates.map(sql.lit));
const mayBeUnpaid = sql`(done.state in (${states}) or done.lacks_confirmation)`;

const currentAccounts = (database: Database) =>
  database
    .selectFrom('merchant_payout_accounts as account')
    .innerJoin('merchants', 'merchants.id', 'account.merchant_id')
    .leftJoin('payout_account_checks as done', 'done.payout_account_id', 'account.id')
    .where('account.replaced_at', 'is', null)
    .where('merchants.deleted_at', 'is', null);

/** A merchant's payout account: key and value of a GSMA party. */
export interface PayoutAccount {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  /** The holder that the operator expects. */
  readonly holder: string | null;
}

export interface NewPayoutAccount extends Omit<PayoutAccount, 'id' | 'holder'> {
  readonly merchantId: number;
  readonly holder?: string | null;
}

/** The current payout accounts, by the merchant's id. */
export async function currentPayoutAccounts(
  database: Database | DatabaseTransaction,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, PayoutAccount>> {
  const rows = await database
    .selectFrom('merchant_payout_accounts')
    .select([
      'id',
      'merchant_id',
      'party_key as key',
      'party_value as value',
      'holder_name as holder',
    ])
    .where('merchant_id', '=', sql<number>`any(${merchantIds}::bigint[])`)
    .where('replaced_at', 'is', null)
    .execute();
  return new Map(rows.map(({ merchant_id, ...account }) => [merchant_id, account]));
}

/**
 * Gives merchants, whose rows the transaction has locked, other payout accounts; the previous ones stay as history. A
 * holder that is left out stays. Returns the ids of the accounts that differ from those before, by the merchant's id.
 */
export async function replacePayoutAccounts(
  transaction: DatabaseTransaction,
  accounts: readonly NewPayoutAccount[],
): Promise<
  ReadonlyMap<number, { readonly id: number; readonly before: PayoutAccount | undefined }>
> {
  const merchantIds = accounts.map((one) => one.merchantId);
  const current = await currentPayoutAccounts(transaction, merchantIds);
  const others = accounts
    .map((one) => {
      const { holder = current.get(one.merchantId)?.holder ?? null } = one;
      return { ...one, holder };
    })
    .filter(({ merchantId, key, value, holder }) => {
      const before = current.get(merchantId);
      return before?.key !== key || before.value !== value || before.holder !== holder;
    });
  if (others.length === 0) return new Map();
  await transaction
    .updateTable('merchant_payout_accounts')
    .set({ replaced_at: now })
    .where('merchant_id', '=', sql<number>`any(${others.map((one) => one.merchantId)}::bigint[])`)
    .where('replaced_at', 'is', null)
    .execute();
  const added = await transaction
    .insertInto('merchant_payout_accounts')
    .values(
      others.map(({ merchantId, key, value, holder }) => ({
        merchant_id: merchantId,
        party_key: key,
        party_value: value,
        holder_name: holder,
      })),
    )
    .returning(['id', 'merchant_id'])
    .execute();
  return new Map(
    added.map(({ id, merchant_id }) => [merchant_id, { id, before: current.get(merchant_id) }]),
  );
}
