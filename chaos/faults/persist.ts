import { setTimeout as sleep } from 'node:timers/promises';

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
