import { describe, expect, it } from 'vitest';
import { oneByOne, type Pages, pageByPage } from '../../activities/several-at-once.ts';

const SIZE = 3;

/** Rows 1 to 10, of which some fail; what was done, and where a repetition would begin. */
async function process(fails: (id: number) => boolean, startAfterId = 0) {
  const done: number[] = [];
  const notes: number[] = [];
  const pages: Pages<{ readonly id: number }> = {
    size: SIZE,
    concurrency: 2,
    read: async ({ afterId, limit }) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        .filter((id) => id > afterId)
        .slice(0, limit)
        .map((id) => ({ id })),
    async work({ id }) {
      if (fails(id)) throw new Error(`row ${id}`);
      done.push(id);
    },
  };
  const failure = await pageByPage(pages, startAfterId, (afterId) => notes.push(afterId)).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { done, failure, repeatsAfter: notes.at(-1) };
}

describe('pages', () => {
  it('are all processed', async () => {
    expect(await process(() => false)).toEqual({
      done: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      failure: undefined,
      repeatsAfter: 9,
    });
  });

  it('a row that fails stops neither its page nor the later ones, and is repeated', async () => {
    const { done, failure, repeatsAfter } = await process((id) => id === 5);
    expect(done).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10]);
    expect(failure).toBe('row 5');
    expect(repeatsAfter).toBe(3);
  });

  it('the first failed page is where a repetition begins', async () => {
    const { failure, repeatsAfter } = await process((id) => id === 2 || id === 8);
    expect(failure).toBe('row 2');
    expect(repeatsAfter).toBe(0);
  });

  it('a page of which every row fails ends the work', async () => {
    const { done, failure, repeatsAfter } = await process((id) => id > 3);
    expect(done).toEqual([1, 2, 3]);
    expect(failure).toMatch(/^row [45]$/);
    expect(repeatsAfter).toBe(3);
  });

  it('a repetition begins behind the id', async () => {
    expect((await process(() => false, 6)).done).toEqual([7, 8, 9, 10]);
  });
});

it('lets one caller after the other through, not all together', async () => {
  const PAUSE_MS = 20;
  const turn = oneByOne(PAUSE_MS);
  const begunAt = performance.now();
  const times = await Promise.all(
    [0, 1, 2, 3].map(() => turn().then(() => performance.now() - begunAt)),
  );
  // A timer may fire early, by a fraction that it leaves out and by a millisecond.
  for (const [index, time] of times.entries())
    expect(time).toBeGreaterThanOrEqual(index * (PAUSE_MS - 2));
});
