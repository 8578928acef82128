import { log } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import { type Database, type DatabaseTransaction, violates } from '../src/db/connection.ts';
import { balanceConstraint } from '../src/db/ledger/ledger.ts';
import {
  countCompanyMessage,
  dailyLimitConstraint,
  type NumberCount,
  type NumberEvent,
  numberCount,
  numberLimitConstraint,
  refusalByDailyLimits,
} from '../src/db/limits/daily-limits.ts';
import type { CountedMessages } from '../src/db/messages/messages.ts';
import { numberLimitReached } from '../src/domain/daily-limits.ts';
import { type Refusal, refuse } from '../src/domain/refusals.ts';
import { type MessageCounts, refuseCompanyMessage } from '../src/domain/vouchers/claim.ts';
import type { Caller, Company } from '../src/domain/vouchers/voucher.ts';
import { definiteRefusal, RefusedError } from './database-step.ts';
import type { ActivityDependencies } from './dependencies.ts';

/**
 * Alerts operators that a company has reached a daily budget; "access budget list" shows it later,
 * and "access budget set" changes it.
 */
export const raiseBudgetAlarm = (
  { kind, id }: Company,
  what: 'messages' | 'wrong verification codes',
  budget: number,
): void =>
  log.error(`A company has reached its daily budget of ${what}`, {
    companyKind: kind,
    companyId: id,
    budget,
  });

/** The counts that limit a message, from the database's row. */
export const messageCountsOf = (
  row: CountedMessages,
  settings: Pick<
    ActivityDependencies['settings']['vouchers'],
    'messageCooldownSeconds' | 'messagesPerCompanyAndDay'
  >,
): MessageCounts => ({
  secondsUntilNextMessage: Math.max(
    0,
    Math.ceil(
      settings.messageCooldownSeconds - (row.secondsSinceMessage ?? Number.POSITIVE_INFINITY),
    ),
  ),
  messagesToday: row.messagesToday,
  refusedMessages: row.refusedMessages,
  companyMessages: {
    ...row.companyMessages,
    budget: row.messagesPerDay ?? settings.messagesPerCompanyAndDay,
  },
});

/**
 * Counts a message of a company. It is the last step of a transaction, so that messages of one company wait only for
 * each other's commit.
 *
 * @throws {RefusedError} beyond the budget of the company
 */
export async function countMessage(
  transaction: DatabaseTransaction,
  company: Company,
  { budget, retryAfterSeconds }: MessageCounts['companyMessages'],
): Promise<void> {
  const { isWithin, isLast } = await countCompanyMessage(transaction, company, budget);
  // A refusal rolls back that the budget is spent: the alarm belongs to the transaction that notes it.
  if (!isWithin) throw new RefusedError(refuseCompanyMessage({ retryAfterSeconds }));
  if (isLast) raiseBudgetAlarm(company, 'messages', budget);
}

/** The refusal where a concurrent operation has spent the balance or a daily limit; undefined for any other error. */
export async function refusalOfSpending(
  database: Database,
  caller: Caller,
  error: unknown,
): Promise<Refusal | undefined> {
  if (violates(error, balanceConstraint)) return refuse('money-insufficient');
  return violates(error, dailyLimitConstraint) ? refusalByDailyLimits(database, caller) : undefined;
}

/** The refusal of a spending whose transaction was rolled back; the caller knows that no earlier attempt committed. */
export async function refusalAfterSpending(
  database: Database,
  caller: Caller,
  error: unknown,
): Promise<Refusal> {
  if (error instanceof RefusedError) return error.refusal;
  return (await refusalOfSpending(database, caller, error)) ?? definiteRefusal(error);
}

/** The alarms of the day: a process raises one for each number. */
const raised = new LRUCache<string, true>({ max: 10_000 });

/** The count of an event of a phone number; undefined without a limit of such events. */
export const countOfEvent = (
  { digests, settings }: Pick<ActivityDependencies, 'digests' | 'settings'>,
  event: NumberEvent,
  msisdn: string | null,
): NumberCount | undefined =>
  numberCount(digests.ownerNumber, settings.vouchers, { event, msisdn });

/**
 * Runs a step that counts an event of a number.
 *
 * @throws {RefusedError} beyond the limit of the number, with an alarm for operators
 */
export async function withinNumberLimit<Result>(
  count: NumberCount | undefined,
  company: Company,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (count === undefined || !violates(error, numberLimitConstraint)) throw error;
    throw new RefusedError(refuseNumber(count, company));
  }
}

/** The log has only the beginning of the digest, which tells numbers apart. */
function refuseNumber(count: NumberCount, { kind, id }: Company): Refusal {
  const number = count.digest.toString('hex').slice(0, 16);
  const alarm = `${new Date().toISOString().slice(0, 10)} ${count.event} ${number}`;
  if (!raised.has(alarm)) {
    raised.set(alarm, true);
    const facts = { number, limit: count.limit, companyKind: kind, companyId: id };
    log.error(`A phone number has reached its daily limit of ${count.event}`, facts);
  }
  return numberLimitReached(new Date());
}
