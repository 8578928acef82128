/** Stops what was started, newest first: each part takes the ones before it for granted. */
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
        // What does not stop must not keep the rest running.
        await stop().catch((error) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
