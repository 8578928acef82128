export type Stops = ReturnType<typeof createStops>;

/** Stops parts in reverse order, since each part depends on the earlier ones. */
export function createStops() {
  const stops: (() => Promise<void>)[] = [];
  return {
    add(stop: () => Promise<void>): void {
      stops.push(stop);
    },
    async run(): Promise<void> {
      const failures: unknown[] = [];
      for (const stop of stops.splice(0).reverse()) {
        // A part that fails to stop must not prevent the others.
        await stop().catch((error) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Waits for all, also where one fails: what the others have started by then can be stopped. */
export async function together<Results extends readonly unknown[]>(
  work: {
    readonly [Index in keyof Results]: Promise<Results[Index]>;
  },
): Promise<Results> {
  await Promise.allSettled(work);
  return Promise.all(work) as unknown as Promise<Results>;
}
