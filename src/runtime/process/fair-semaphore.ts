/** A semaphore that shares its permits fairly between owners. */
export interface FairSemaphore {
  /**
   * Runs the work under a permit; undefined, without running it, when no permit came free in time.
   */
  use<Result>(ownerId: string, work: () => Promise<Result>): Promise<Result | undefined>;
}

interface Owner {
  taken: number;
  /** Waiting callers, the longest wait first. */
  readonly waiting: Set<() => void>;
}

/** Gives permits to owners in turn, and within an owner in the order of arrival. */
export function createFairSemaphore(options: {
  readonly places: number;
  readonly placesPerOwner: number;
  /** The longest wait for a permit. */
  readonly waitMs: number;
}): FairSemaphore {
  let free = options.places;
  /** Owners that hold or wait for a permit; the most recently served owner is last. */
  const owners = new Map<string, Owner>();

  const mayTake = ({ taken }: Owner) => free > 0 && taken < options.placesPerOwner;

  function take(ownerId: string, owner: Owner): void {
    free -= 1;
    owner.taken += 1;
    owners.delete(ownerId);
    owners.set(ownerId, owner);
  }

  function forgetIdle(ownerId: string, { taken, waiting }: Owner): void {
    if (taken === 0 && waiting.size === 0) owners.delete(ownerId);
  }

  /** Whether a permit came free in time. */
  function enter(ownerId: string, owner: Owner): boolean | Promise<boolean> {
    owners.set(ownerId, owner);
    if (mayTake(owner)) {
      take(ownerId, owner);
      return true;
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        owner.waiting.delete(turn);
        forgetIdle(ownerId, owner);
        resolve(false);
      }, options.waitMs);
      const turn = () => {
        clearTimeout(timer);
        resolve(true);
      };
      owner.waiting.add(turn);
    });
  }

  function leave(ownerId: string, owner: Owner): void {
    free += 1;
    owner.taken -= 1;
    forgetIdle(ownerId, owner);
    for (const [nextId, next] of owners) {
      const [turn] = next.waiting;
      if (!turn || !mayTake(next)) continue;
      next.waiting.delete(turn);
      take(nextId, next);
      turn();
      return;
    }
  }

  return {
    async use(ownerId, work) {
      const owner = owners.get(ownerId) ?? { taken: 0, waiting: new Set() };
      if (!(await enter(ownerId, owner))) return undefined;
      try {
        return await work();
      } finally {
        leave(ownerId, owner);
      }
    },
  };
}
