import { setTimeout as sleep } from 'node:timers/promises';
import { secondsUntilTurn } from '../db/limits/company-daily-counts.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import type { Company } from '../domain/voucher.ts';
import type { OperationServices } from './services.ts';

/**
 * Slows a company that has sent too many wrong verification codes today: its comparisons run one at
 * a time with pauses; other companies proceed at once. When too many of its requests are waiting,
 * the answer is to return later.
 */
export async function waitForTurn(
  { database, settings }: OperationServices,
  company: Company,
): Promise<Refusal | undefined> {
  const seconds = await secondsUntilTurn(database, company, settings.slowing);
  if (seconds === undefined)
    return refuse('too-many-requests', {
      detail: 'after too many wrong verification codes today, your redemptions run one at a time',
      retryAfterSeconds: Math.ceil(settings.slowing.longestWaitSeconds),
    });
  if (seconds > 0) await sleep(seconds * 1_000);
  return undefined;
}
