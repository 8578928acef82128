import { type RawBuilder, sql } from 'kysely';
import { type PayoutAccountState, refusedStates } from '../../domain/providers/payout-account.js';
import type { MobileMoneyProviderName } from '../../domain/providers/provider-names.js';
import type { Database } from '../connection.js';

/** The payout account that a redemption pays to, and who need not be asked about it any more. */
export interface PaidAccount {
  /** Null where the account is no longer known. */
  readonly id: number | null;
  /** The providers that have answered for it, so that payments may go to it. */
  readonly checkedBy: readonly string[];
  /** Whom the operator expects to hold it. */
  readonly holder: string | null;
}

const unknownAccount: PaidAccount = { id: null, checkedBy: [], holder: null };

/** The providers whose answer lets payments go to an account, as in `isPayable`; its alias is `account`. */
const checkedBy = sql`(select coalesce(jsonb_agg(done.provider), '[]')
  from payout_account_checks as done
  where done.payout_account_id = account.id
    and (account.holder_name is null and done.state in ('open', 'not-offered')
      or done.state = 'open' and done.holder_name is not null))`;

/** An open account whose registered holder nobody has confirmed counts as one that the provider cannot tell. */
const stateNow = sql<PayoutAccountState | null>`case
  when done.state = 'open' and done.holder_name is null and account.holder_name is not null then 'not-offered'
  else done.state end`;

/** The account that the alias `account` names, null where there is none. */
export const accountWithChecks: RawBuilder<PaidAccount> = sql`jsonb_build_object(
  'id', account.id, 'holder', account.holder_name, 'checkedBy', ${checkedBy})`;

/** Reads it within a query of a redemption: no round trip of its own. */
export const paidAccount: RawBuilder<PaidAccount> = sql`coalesce((
    select ${accountWithChecks} from merchant_payout_accounts as account
    where account.merchant_id = redemptions.merchant_id
      and account.party_key = redemptions.payee->0->>'key'
      and account.party_value = redemptions.payee->0->>'value'
    order by account.id desc limit 1), ${sql.lit(JSON.stringify(unknownAccount))}::jsonb)`;

/**
 * Records what a provider says of an account; its last answer counts. One that does not answer the
 * question takes back no answer that lets payments go.
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
    checked_at: sql<Date>`now()`,
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
export const payersOfAccount = async (database: Database, accountId: number) =>
  (
    await database
      .selectFrom('merchant_payout_accounts as account')
      .select(sql<readonly string[]>`${checkedBy}`.as('providers'))
      .where('account.id', '=', accountId)
      .executeTakeFirst()
  )?.providers ?? [];

/** Records that these providers did not pay an account, since nobody has confirmed its holder there. */
export async function recordUnconfirmed(
  database: Database,
  { id }: PaidAccount,
  providers: readonly MobileMoneyProviderName[],
): Promise<void> {
  if (id === null) return;
  for (const provider of providers)
    await recordAccountCheck(database, {
      ...{ accountId: id, provider },
      ...{ state: 'not-offered', holder: null },
    });
}

/** The current payout accounts with what providers say of them, by merchant. */
export const listAccountChecks = (
  database: Database,
  wanted: {
    readonly merchantId?: number;
    /** Only those that are not paid. */
    readonly isUnpaid?: boolean;
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
    .$if(wanted.isUnpaid === true, (query) => query.where(isUnpaid))
    .orderBy('merchants.id')
    .orderBy('done.provider')
    .$if(wanted.limit !== undefined, (query) => query.limit(wanted.limit as number))
    .execute();

/**
 * How many merchants cannot be paid, by the provider that refuses their account or cannot confirm its
 * holder, and why.
 */
export const countUnpaidAccounts = (database: Database) =>
  currentAccounts(database)
    .select(({ fn }) => ['done.provider', stateNow.as('state'), fn.countAll<number>().as('count')])
    .where(isUnpaid)
    .groupBy(['done.provider', stateNow])
    .execute();

/**
 * An account that a provider refuses, or whose registered holder no provider and no operator has confirmed.
 * Each part has its index: neither looks through the accounts that are paid. The states stand in the text,
 * because the plan for all states would look through all checks.
 */
const isUnpaid = sql<boolean>`(done.state in (${sql.join(refusedStates.map(sql.lit))})
  or done.lacks_confirmation and not exists (
    select from payout_account_checks as other
    where other.payout_account_id = done.payout_account_id
      and other.state = 'open' and other.holder_name is not null))`;

const currentAccounts = (database: Database) =>
  database
    .selectFrom('merchant_payout_accounts as account')
    .innerJoin('merchants', 'merchants.id', 'account.merchant_id')
    .leftJoin('payout_account_checks as done', 'done.payout_account_id', 'account.id')
    .where('account.replaced_at', 'is', null)
    .where('merchants.deleted_at', 'is', null);
