import { describe, expect, test } from 'vitest';
import { createFairSemaphore } from '../../../src/runtime/process/fair-semaphore.ts';

/** Places whose work ends when the test says so. */
function openPlaces(waitMs = 60_000) {
  const places = createFairSemaphore({ places: 3, placesPerOwner: 2, waitMs });
  const working: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    working,
    /** Asks for a place; `name` begins with its owner's number. */
    ask: (name: string) =>
      places.use(name.slice(0, 1), () => {
        working.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    async end(name: string): Promise<void> {
      working.splice(working.indexOf(name), 1);
      ends.get(name)?.();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('places', () => {
  test('are as many as there are, and one owner does not get them all', async () => {
    const { ask, working } = openPlaces();
    for (const name of ['1a', '1b', '1c', '2a', '2b']) void ask(name);
    await settled();
    expect(working).toEqual(['1a', '1b', '2a']);
  });

  test('go to owners in turn, however many of one wait', async () => {
    const { ask, working, end } = openPlaces();
    for (const name of ['1a', '1b', '2a', '1c', '1d', '1e', '2b', '3a']) void ask(name);
    await settled();
    await end('1a');
    expect(working).toEqual(['1b', '2a', '1c']);
    await end('1b');
    expect(working).toEqual(['2a', '1c', '2b']);
    await end('2a');
    expect(working).toEqual(['1c', '2b', '3a']);
    await end('3a');
    expect(working).toEqual(['1c', '2b', '1d']);
  });

  test('are free again after work that failed', async () => {
    const places = createFairSemaphore({ places: 1, placesPerOwner: 1, waitMs: 0 });
    const fail = () => Promise.reject(new Error('broken'));
    await expect(places.use('1', fail)).rejects.toThrow('broken');
    expect(await places.use('2', () => Promise.resolve('done'))).toBe('done');
  });

  test('are waited for so long and no longer; whoever left is given none', async () => {
    const { ask, working, end } = openPlaces(1_000);
    const first = ask('1a');
    void ask('1b');
    await settled();
    expect(await ask('1c')).toBeUndefined();
    void ask('1d');
    await end('1a');
    expect(await first).toBe('1a');
    expect(working).toEqual(['1b', '1d']);
  });
});
