/** Who waits for a password to be looked at: those who are known come before strangers. */
export type HashPriority = 'known' | 'stranger';

/** So many passwords wait that another would take too long: try again in a moment. */
export class TooManyHashesError extends Error {
  override readonly name = 'TooManyHashesError';
}

/**
 * Lets a few run at a time. The others wait in order, the known before the strangers; each kind has
 * places of its own to wait in, so that strangers can neither fill those of the known nor pass them.
 */
export function createHashTurns(limits: {
  readonly running: number;
  readonly waitingOfAKind: number;
}) {
  let running = 0;
  const waiting: Readonly<Record<HashPriority, (() => void)[]>> = { known: [], stranger: [] };

  async function waitForTurn(priority: HashPriority): Promise<void> {
    if (running < limits.running) {
      running += 1;
      return;
    }
    const line = waiting[priority];
    if (line.length >= limits.waitingOfAKind) throw new TooManyHashesError();
    // Whoever ends hands its turn on, so the count stays.
    await new Promise<void>((resolve) => line.push(resolve));
  }

  /** @throws {TooManyHashesError} when too many of the kind wait already */
  return async <Result>(priority: HashPriority, work: () => Promise<Result>): Promise<Result> => {
    await waitForTurn(priority);
    try {
      return await work();
    } finally {
      const next = waiting.known.shift() ?? waiting.stranger.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
