import { type RawBuilder, sql } from 'kysely';
import type { DailyLimit } from '../../domain/daily-limits.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import type { Caller } from '../../domain/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { secondsLeftOfDay } from './company-daily-counts.ts';

/** The database refuses a transaction that would spend more than a limit by this name. */
export const dailyLimitConstraint = 'daily_spending_within_limits';

/** Limits are for days in UTC, as budgets are. */
const today = sql`(now() at time zone 'UTC')::date`;

/** A partner's key, or a person of the partner, whose spending is counted. */
interface LimitedCaller {
  readonly partnerId: number;
  /** Null for a person: only the limits of the company hold. */
  readonly apiKeyId: number | null;
}

/**
 * The caller, if it or its key has a daily limit; statements of all others know nothing of limits. A
 * company's limit is looked up with each payment of a person.
 */
export function limitedCaller({ id, credential }: Caller): LimitedCaller | undefined {
  if (credential === undefined) return undefined;
  if ('portalAccountId' in credential) return { partnerId: id, apiKeyId: null };
  return 'apiKeyId' in credential && credential.isLimited
    ? { partnerId: id, apiKeyId: credential.apiKeyId }
    : undefined;
}

/** SQL query: the limits of the partner and of the key, if they have any, in the order of locks. */
const limitsOf = ({ partnerId, apiKeyId }: LimitedCaller) => sql`
  select subject_kind, subject_id, daily_amount, daily_operations from (
    select 1 as rank, 'partner' as subject_kind, id as subject_id, daily_amount, daily_operations
    from partners where id = ${partnerId}
    union all
    select 2, 'api-key', id, daily_amount, daily_operations from api_keys
    where id = ${apiKeyId}::bigint and partner_id = ${partnerId}
  ) as subjects
  where daily_amount is not null or daily_operations is not null
  order by rank`;

/**
 * SQL statement: counts an amount, the column `amount` of the one row of `payment`, against the
 * limits of partner and key. It fails by `dailyLimitConstraint` where one of them is exceeded.
 */
export const countSpending = (caller: LimitedCaller, payment: RawBuilder<unknown>) => sql`
  insert into daily_spending as known
    (subject_kind, subject_id, day, amount, operations, amount_limit, operations_limit)
  select limits.subject_kind, limits.subject_id, ${today}, payment.amount, 1,
    limits.daily_amount, limits.daily_operations
  from ${payment} as payment cross join (${limitsOf(caller)}) as limits
  on conflict (subject_kind, subject_id, day) do update set
    amount = known.amount + excluded.amount, operations = known.operations + 1,
    amount_limit = excluded.amount_limit, operations_limit = excluded.operations_limit`;

/**
 * Counts a payment of a limited caller; the rows stay locked until the transaction ends.
 *
 * @throws a violation of `dailyLimitConstraint` when a limit would be exceeded
 */
export async function spendWithinLimits(
  transaction: DatabaseTransaction,
  caller: LimitedCaller,
  amount: Money,
): Promise<void> {
  const payment = sql`(select ${formatMoney(amount)}::numeric as amount)`;
  await countSpending(caller, payment).execute(transaction);
}

/** SQL query: the limits of a caller, with what is left today, as rows of a DailyLimit. */
export const dailyLimits = (caller: LimitedCaller) => sql<DailyLimit>`
  select limits.subject_kind as "subjectKind", limits.daily_amount::text as "amountLimit",
    (limits.daily_amount - least(spent.amount, limits.daily_amount))::text as "amountLeft",
    limits.daily_operations as "operationsLimit",
    limits.daily_operations - least(spent.operations, limits.daily_operations) as "operationsLeft",
    ${secondsLeftOfDay} as "secondsLeft",
    (${today} + 1)::timestamp at time zone 'UTC' as "renewsAt"
  from (${limitsOf(caller)}) as limits
  left join lateral (
    select coalesce(sum(amount), 0) as amount, coalesce(sum(operations), 0)::int as operations
    from daily_spending
    where subject_kind = limits.subject_kind and subject_id = limits.subject_id
      and day = ${today}) as spent on true`;

/** The limits of a caller, with what is left today. */
export const readDailyLimits = async (
  database: Database,
  caller: LimitedCaller,
): Promise<DailyLimit[]> => (await dailyLimits(caller).execute(database)).rows;
