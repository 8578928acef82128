import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientLog } from '../clients/client-log.ts';
import type { Random } from '../random.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { World } from '../world.ts';

/** What a fault is made with. */
export interface FaultScene {
  readonly stack: ThrowawayStack;
  readonly world: World;
  readonly random: Random;
  readonly log: ClientLog;
}

/** Makes a fault and, after some seconds, undoes it; says what was done. */
export type MakeFault = (scene: FaultScene) => Promise<string>;

/** Waits some time, in milliseconds, and says how long. */
export async function lasting(random: Random, least: number, greatest: number): Promise<string> {
  const milliseconds = random.integer(least, greatest);
  await sleep(milliseconds);
  return `for ${(milliseconds / 1_000).toFixed(1)} s`;
}

const TRIES = 60;
const PAUSE_MS = 250;

/** An operator tries again while the database is away because of another fault. */
export async function persist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
