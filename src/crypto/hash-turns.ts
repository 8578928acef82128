/** Priority of a password check: known browsers precede unknown ones. */
export type HashPriority = 'known' | 'stranger';

/** Too many password checks are waiting. */
export class TooManyHashesError extends Error {
  override readonly name = 'TooManyHashesError';
}

/**
 * Limits concurrent work. Further callers wait in order, the known before the strangers. Each kind
 * has its own waiting places, so that strangers can neither fill those of the known nor overtake
 * them.
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
    // A finished caller passes its turn on, so the count does not change.
    await new Promise<void>((resolve) => line.push(resolve));
  }

  /** @throws {TooManyHashesError} when too many callers of the kind are waiting */
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
