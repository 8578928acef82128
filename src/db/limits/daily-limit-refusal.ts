import { dailyLimitReached } from '../../domain/daily-limits.js';
import type { Refusal } from '../../domain/refusals.js';
import type { Caller } from '../../domain/voucher.js';
import type { Database } from '../connection.js';
import { limitedCaller, readDailyLimits } from './daily-spending.js';

/** The refusal of a caller whose daily limit the database found exceeded. */
export async function refusalByDailyLimits(database: Database, company: Caller): Promise<Refusal> {
  const caller = limitedCaller(company);
  return dailyLimitReached(caller ? await readDailyLimits(database, caller) : []);
}
