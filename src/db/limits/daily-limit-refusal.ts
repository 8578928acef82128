import { dailyLimitReached } from '../../domain/daily-limits.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Caller } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';
import { limitedCaller, readDailyLimits } from './daily-spending.ts';

/** The refusal of a caller whose daily limit the database found exceeded. */
export async function refusalByDailyLimits(database: Database, company: Caller): Promise<Refusal> {
  const caller = limitedCaller(company);
  return dailyLimitReached(caller ? await readDailyLimits(database, caller) : []);
}
