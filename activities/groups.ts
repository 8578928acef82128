import { AsyncLocalStorage } from 'node:async_hooks';

/** An item that waits for its group. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  /** Runs a function with the trace of the item. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Adds an item to the next group of a name; the promise is the result of that item. */
type AddToGroup<Item, Result> = (name: string, item: Item) => Promise<Result>;

/**
 * Carries out items of one name together. The first item starts at once. Items that come meanwhile wait for the next
 * group, which has at most `maximum` items. So a single item never waits, and each of many items costs less.
 */
export function createGroups<Item, Result>(options: {
  readonly maximum: number;
  /** One result for each item, in their order. */
  readonly carryOut: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>;
}): AddToGroup<Item, Result> {
  /** The items that wait, by the name of the group that is under way. */
  const lines = new Map<string, Waiting<Item, Result>[]>();

  async function settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await options.carryOut(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled') resolve(result.value);
        else reject(result?.reason ?? new Error('A group has no result for this item'));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async function run(name: string, line: Waiting<Item, Result>[]): Promise<void> {
    while (line.length > 0) {
      const group = line.splice(0, options.maximum);
      await group[0]?.inContext(settle, group);
    }
    lines.delete(name);
  }

  return (name, item) =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject, inContext: AsyncLocalStorage.snapshot() };
      const line = lines.get(name);
      if (line) line.push(waiting);
      else {
        const first = [waiting];
        lines.set(name, first);
        void run(name, first);
      }
    });
}
