import { createHash } from 'node:crypto';

/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0, below 1. */
  next(): number;
  /** Both ends are possible. */
  integer(least: number, greatest: number): number;
  /** True so often: 0.2 is once in five. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Picks a name by its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/**
 * A stream of its own for each name, so that what one part of a run draws does not depend on how
 * quickly another one is. The generator is mulberry32.
 */
export function createRandom(seed: number, name: string): Random {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE();
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (least: number, greatest: number) =>
    least + Math.floor(next() * (greatest - least + 1));
  const pick = <Item>(items: readonly Item[]): Item => {
    if (items.length === 0) throw new RangeError('There is nothing to pick from');
    return items[integer(0, items.length - 1)] as Item;
  };
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick,
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const rows = Object.entries<number>(weights) as [Name, number][];
      let rest = next() * rows.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of rows) {
        rest -= weight;
        if (rest < 0) return name;
      }
      return pick(rows)[0];
    },
    shuffled<Item>(items: readonly Item[]): Item[] {
      const left = [...items];
      return items.map(() => left.splice(integer(0, left.length - 1), 1)[0] as Item);
    },
  };
}

/** The newest ones more often: the old ones are mostly used up. */
export const recent = <Item>(random: Random, items: readonly Item[]): Item | undefined =>
  items.length === 0 ? undefined : random.pick(random.chance(0.8) ? items.slice(-30) : items);
