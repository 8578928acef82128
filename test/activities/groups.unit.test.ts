import { expect, it } from 'vitest';
import { createGroups } from '../../activities/groups.ts';

/** Groups that end when the test says so. */
function heldGroups(maximum: number) {
  const begun: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const add = createGroups<number, string>({
    maximum,
    carryOut: async (items) => {
      begun.push(items);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) =>
        item < 0
          ? { status: 'rejected', reason: new Error(`no ${item}`) }
          : { status: 'fulfilled', value: `result ${item}` },
      );
    },
  });
  const endNext = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, begun, endNext };
}

it('carries out the first item at once, and those that come meanwhile together', async () => {
  const { add, begun, endNext } = heldGroups(3);
  const results = Promise.all([1, 2, 3, 4, 5].map((item) => add('one', item)));
  expect(begun).toEqual([[1]]);
  await endNext();
  expect(begun).toEqual([[1], [2, 3, 4]]);
  await endNext();
  expect(begun).toEqual([[1], [2, 3, 4], [5]]);
  await endNext();
  expect(await results).toEqual([1, 2, 3, 4, 5].map((item) => `result ${item}`));
  void add('one', 6);
  expect(begun.at(-1)).toEqual([6]);
});

it('lets no name wait for another one', () => {
  const { add, begun } = heldGroups(3);
  void add('one', 1);
  void add('two', 2);
  expect(begun).toEqual([[1], [2]]);
});

it('gives each item its own result, and goes on after a group that fails', async () => {
  const { add, endNext } = heldGroups(3);
  const settled = Promise.allSettled([1, 2, -3, 4, 13, 5, 6].map((item) => add('one', item)));
  for (let group = 1; group <= 3; group += 1) await endNext();
  const words = (await settled).map((result) =>
    result.status === 'fulfilled' ? result.value : result.reason.message,
  );
  expect(words).toEqual([
    ...['result 1', 'result 2', 'no -3', 'result 4', 'unlucky', 'unlucky', 'unlucky'],
  ]);
});
