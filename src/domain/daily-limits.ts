import { type Money, parseMoney, plainAmount } from './money.ts';
import { type Refusal, refuse } from './refusals.ts';

/** A daily limit of a partner or of its key, and what is left of it. */
export interface DailyLimit {
  readonly subjectKind: 'partner' | 'api-key';
  /** Decimal strings; null without a limit of the amount. */
  readonly amountLimit: string | null;
  readonly amountLeft: string | null;
  readonly operationsLimit: number | null;
  readonly operationsLeft: number | null;
  readonly secondsLeft: number;
  /** When the limit renews. */
  readonly renewsAt: Date;
}

/** Whether a payment would exceed one of the limits; the database enforces the same. */
export const exceedsDailyLimits = (limits: readonly DailyLimit[], amount: Money): boolean =>
  limits.some(
    ({ amountLeft, operationsLeft }) =>
      (amountLeft !== null && parseMoney(amountLeft) < amount) ||
      (operationsLeft !== null && operationsLeft < 1),
  );

/** The refusal of a payment beyond a limit: what is left, and until when. */
export function dailyLimitReached(limits: readonly DailyLimit[]): Refusal {
  const [first] = limits;
  // The limit was lifted in the meantime.
  if (!first) return refuse('daily-limit-reached', { retryAfterSeconds: 1 });
  const renewal = `the day ends at ${first.renewsAt.toISOString()}`;
  return refuse('daily-limit-reached', {
    detail: [...limits.map(whatIsLeft), renewal].join('; '),
    retryAfterSeconds: first.secondsLeft,
  });
}

const owners = { partner: 'the company', 'api-key': 'the API key' } as const;

function whatIsLeft(limit: DailyLimit): string {
  const { amountLimit, amountLeft, operationsLimit, operationsLeft } = limit;
  const parts = [
    amountLimit !== null && `${birr(amountLeft)} of ${birr(amountLimit)} ETB`,
    operationsLimit !== null && `${operationsLeft} of ${operationsLimit} operations`,
  ].filter(Boolean);
  return `${owners[limit.subjectKind]} has ${parts.join(' and ')} left`;
}

const birr = (amount: string | null): string => plainAmount(amount ?? '0');

const DAY_SECONDS = 86_400;

/** The refusal of one more event of a phone number than the limit of the day (UTC). */
export const numberLimitReached = (now: Date): Refusal =>
  refuse('number-limit-reached', {
    retryAfterSeconds: DAY_SECONDS - (Math.floor(now.getTime() / 1_000) % DAY_SECONDS),
  });
