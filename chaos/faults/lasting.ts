import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';

/** Waits some time, in milliseconds, and says how long. */
export async function lasting(random: Random, least: number, greatest: number): Promise<string> {
  const milliseconds = random.integer(least, greatest);
  await sleep(milliseconds);
  return `for ${(milliseconds / 1_000).toFixed(1)} s`;
}
