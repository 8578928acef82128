import { describe, expect, test } from 'vitest';
import { createRandom } from '../../chaos/random.ts';

const drawn = (seed: number, name: string) => {
  const random = createRandom(seed, name);
  return Array.from({ length: 20 }, () => random.integer(1, 1_000));
};

describe('a stream of random numbers', () => {
  test('is the same for the same seed and name, and another for others', () => {
    expect(drawn(7, 'faults')).toEqual(drawn(7, 'faults'));
    expect(drawn(7, 'faults')).not.toEqual(drawn(8, 'faults'));
    expect(drawn(7, 'faults')).not.toEqual(drawn(7, 'client 1'));
  });

  test('has whole numbers with both ends, evenly', () => {
    const random = createRandom(1, 'dice');
    const counts = new Map<number, number>();
    for (let throws = 0; throws < 6_000; throws += 1) {
      const face = random.integer(1, 6);
      counts.set(face, (counts.get(face) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });

  test('picks by weight and never what weighs nothing', () => {
    const random = createRandom(2, 'weights');
    const picked = Array.from({ length: 1_000 }, () => random.weighted({ a: 3, b: 1, c: 0 }));
    const share = picked.filter((name) => name === 'a').length / picked.length;
    expect(Math.abs(share - 0.75)).toBeLessThan(0.05);
    expect(picked).not.toContain('c');
  });

  test('shuffles without losing anything', () => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8];
    const shuffled = createRandom(3, 'cards').shuffled(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted()).toEqual(items);
  });
});
