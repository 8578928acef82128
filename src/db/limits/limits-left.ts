import { type RawBuilder, sql } from 'kysely';
import {
  type DailyLimit,
  dailyLimitReached,
  exceedsDailyLimits,
  numberLimitReached,
} from '../../domain/daily-limits.ts';
import type { Money } from '../../domain/money.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Caller } from '../../domain/voucher.ts';
import { dailyLimits, limitedCaller } from './daily-spending.ts';
import { countOfNumber, type NumberCount } from './number-counts.ts';

/** What limits leave today, of a caller and of a phone number. */
export interface LimitsLeft {
  /** As JSON, whose times are texts. */
  readonly daily_limits: readonly (Omit<DailyLimit, 'renewsAt'> & { readonly renewsAt: string })[];
  /** Events of the number today; null where they have no limit. */
  readonly number_count: number | null;
}

/** SQL expressions: the columns of LimitsLeft, for a query that reads further facts. */
export function limitsLeft(
  caller: Caller,
  number: NumberCount | undefined,
): RawBuilder<LimitsLeft> {
  const limited = limitedCaller(caller);
  const ofCaller = limited
    ? sql`(select coalesce(jsonb_agg(to_jsonb(limits)), '[]') from (${dailyLimits(limited)}) as limits)`
    : sql`'[]'::jsonb`;
  return sql`${ofCaller} as daily_limits,
    ${number ? countOfNumber(number) : sql`null::int`} as number_count`;
}

/** The refusal of one more event, in the order in which the database counts. */
export function refuseByLimits(
  left: LimitsLeft,
  { amount, number, now }: { amount: Money; number: NumberCount | undefined; now: Date },
): Refusal | undefined {
  if (number && (left.number_count ?? 0) >= number.limit) return numberLimitReached(now);
  const limits = left.daily_limits.map((limit) => ({
    ...limit,
    renewsAt: new Date(limit.renewsAt),
  }));
  return exceedsDailyLimits(limits, amount) ? dailyLimitReached(limits) : undefined;
}
