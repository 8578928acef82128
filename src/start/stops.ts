/** Stops parts in reverse order, since each part depends on the earlier ones. */
export interface Stops {
  add(stop: () => Promise<void>): void;
  run(): Promise<void>;
}

export function createStops(): Stops {
  const stops: (() => Promise<void>)[] = [];
  return {
    add: (stop) => {
      stops.push(stop);
    },
    async run() {
      const failures: unknown[] = [];
      for (const stop of stops.splice(0).reverse()) {
        // A part that fails to stop must not prevent the others.
        await stop().catch((error) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
