import { setTimeout as sleep } from 'node:timers/promises';
import { secondsUntilTurn } from '../db/limits/company-daily-counts.js';
import { type Refusal, refuse } from '../domain/errors.js';
import type { Company } from '../domain/voucher.js';
import type { OperationServices } from './services.js';

/**
 * Lets the requests of a company that has sent too many wrong verification codes today compare one code
 * after the other, with pauses; all others go on at once. Where too many of the company wait already, the
 * answer is to come back later.
 */
export async function waitForTurn(
  { database, settings }: OperationServices,
  company: Company,
): Promise<Refusal | undefined> {
  const seconds = await secondsUntilTurn(database, company, settings.slowing);
  if (seconds === undefined)
    return refuse('too-many-requests', {
      detail: 'after too many wrong verification codes today, your redemptions take turns',
      retryAfterSeconds: Math.ceil(settings.slowing.longestWaitSeconds),
    });
  if (seconds > 0) await sleep(seconds * 1_000);
  return undefined;
}
