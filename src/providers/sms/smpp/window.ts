/** The PDUs that may be without an answer at the same time. */
export interface Window {
  /** A place, in the order of the callers; undefined where none is free in time. */
  take(withinMs: number): Promise<Place | undefined>;
  /** Resolves when no place is taken. */
  empty(): Promise<void>;
}

interface Place {
  free(): void;
}

export function createWindow(size: number): Window {
  let taken = 0;
  const waiting = new Set<() => void>();
  let atEnd: (() => void)[] = [];

  function free() {
    const [next] = waiting;
    if (next) {
      next();
      return;
    }
    taken -= 1;
    if (taken > 0) return;
    for (const resolve of atEnd) resolve();
    atEnd = [];
  }

  return {
    take(withinMs) {
      if (taken < size) {
        taken += 1;
        return Promise.resolve({ free });
      }
      return new Promise((resolve) => {
        const goOn = () => {
          clearTimeout(timer);
          waiting.delete(goOn);
          resolve({ free });
        };
        const timer = setTimeout(() => {
          waiting.delete(goOn);
          resolve(undefined);
        }, withinMs);
        waiting.add(goOn);
      });
    },
    empty: () => (taken === 0 ? Promise.resolve() : new Promise((resolve) => atEnd.push(resolve))),
  };
}
