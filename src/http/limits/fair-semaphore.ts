/** So many may work at a time, and nobody takes all the places. */
export interface FairSemaphore {
  /** Does work once there is a place; undefined, with nothing done, where none came free in time. */
  use<Result>(ownerId: string, work: () => Promise<Result>): Promise<Result | undefined>;
}

interface Owner {
  taken: number;
  /** The turns of those that wait, the longest first. */
  readonly waiting: Set<() => void>;
}

/** Places that are given to owners in turn, and within one owner in the order of asking. */
export function createFairSemaphore(options: {
  readonly places: number;
  readonly placesPerOwner: number;
  /** The longest that one waits. */
  readonly waitMs: number;
}): FairSemaphore {
  let free = options.places;
  /** Those that have a place or wait for one; who was given one last is last. */
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

  /** Whether there was a place in time. */
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
