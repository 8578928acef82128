import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { providerFaults } from './broken-provider.ts';
import type { FaultScene } from './fault-scene.ts';
import { type FaultName, faults } from './faults.ts';

/** A fault as it was made. */
export interface MadeFault {
  readonly name: FaultName;
  /** Seconds from the beginning of the run. */
  readonly at: number;
  readonly what: string;
}

const GAP_MS = { least: 500, greatest: 4_000 } as const;
/** Faults whose subject another one has, too: what one of them killed, the other could not kill. */
const subjectOf = (name: FaultName): string => {
  if (name === 'empty-temporal') return 'kill-temporal';
  return name in providerFaults ? 'a provider' : name;
};

/** So often a fault comes while the one before is not over. */
const OVERLAP = 0.2;

/** Makes one fault after the other until the signal comes, and then waits until each is undone. */
export async function makeFaults(
  scene: FaultScene,
  names: readonly FaultName[],
  until: AbortSignal,
): Promise<MadeFault[]> {
  const made: MadeFault[] = [];
  const running = new Map<string, Promise<void>>();
  const startedAt = performance.now();
  const begin = (name: FaultName) => {
    const at = (performance.now() - startedAt) / 1_000;
    const work = faults[name](scene)
      .then((what) => {
        made.push({ name, at, what });
      })
      .finally(() => running.delete(subjectOf(name)));
    running.set(subjectOf(name), work);
    return work;
  };
  if (names.length === 0) return made;
  for (const name of endlessly(names, scene.random)) {
    await pause(scene.random.integer(GAP_MS.least, GAP_MS.greatest), until);
    if (until.aborted) break;
    // Two of one subject would undo each other.
    await running.get(subjectOf(name));
    const work = begin(name);
    if (scene.random.chance(OVERLAP)) work.catch(() => {});
    else await work;
  }
  await Promise.all(running.values());
  return made;
}

/** Every kind in random order, and again: so that none is left out for long. */
function* endlessly<Item>(items: readonly Item[], random: Random): Generator<Item> {
  for (;;) yield* random.shuffled(items);
}

const pause = (milliseconds: number, until: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal: until }).catch(() => undefined);
