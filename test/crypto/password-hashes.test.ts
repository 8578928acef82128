import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TooManyHashesError } from '../../src/crypto/digests.ts';
import { createPasswordHashes } from '../../src/crypto/password-hashes.ts';

const passwords = createPasswordHashes(14);
/** Where many are made: whose turn it is does not depend on how long one takes. */
const QUICK_COST = 10;

describe('password hashes', () => {
  it('fit the password that they were made of, and no other', async () => {
    const hash = await passwords.make('correct horse');
    expect(hash).toMatch(/^scrypt\$14\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await passwords.fits('correct horse', hash)).toBe(true);
    expect(await passwords.fits('correct horse ', hash)).toBe(false);
    expect(await passwords.fits('', hash)).toBe(false);
  });

  it('are salted', async () => {
    const [one, other] = [await passwords.make('same'), await passwords.make('same')];
    expect(one).not.toBe(other);
  });

  it('take one character as one, however it was typed', async () => {
    const hash = await passwords.make('caf\u00e9 au lait');
    expect(await passwords.fits('cafe\u0301 au lait', hash)).toBe(true);
  });

  it('stay valid when the cost changes, and are known to be of another', async () => {
    const hash = await createPasswordHashes(15).make('correct horse');
    expect(await passwords.fits('correct horse', hash)).toBe(true);
    expect(passwords.isOutdated(hash)).toBe(true);
    expect(passwords.isOutdated(await passwords.make('correct horse'))).toBe(false);
  });

  it.each([null, undefined])(
    'without a hash (%s) nothing fits, after the same work',
    async (none) => {
      const startedAt = performance.now();
      expect(await passwords.fits('correct horse', none)).toBe(false);
      expect(performance.now() - startedAt).toBeGreaterThan(5);
    },
  );

  it.each(['', 'plain', 'scrypt$14$8$1$short$short', 'bcrypt$14$8$1$'])(
    'refuse what is no hash: %s',
    async (text) => {
      await expect(passwords.fits('x', text)).rejects.toThrow('not in a known format');
    },
  );

  it('are made a few at a time, and too many at once are refused', async () => {
    const quick = createPasswordHashes(QUICK_COST);
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => quick.make('one of many')),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(18);
    for (const one of refused)
      expect((one as PromiseRejectedResult).reason).toBeInstanceOf(TooManyHashesError);
    expect(await quick.make('afterwards')).toMatch(/^scrypt/);
  });

  it('of the known come before those of strangers, and have room when strangers have filled theirs', async () => {
    const alone = createPasswordHashes(QUICK_COST, 1);
    const order: string[] = [];
    const hash = await alone.make('correct horse');
    const look = async (name: 'known' | 'stranger') => {
      await alone.fits('correct horse', hash, name);
      order.push(name);
    };
    const strangers = Promise.allSettled(Array.from({ length: 40 }, () => look('stranger')));
    await Promise.all([look('known'), look('known'), look('known')]);
    // One was looked at already when they came.
    expect(order).toEqual(['stranger', 'known', 'known', 'known']);
    const refused = (await strangers).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(19);
  });

  it('take none of the threads that read files and look up names', async () => {
    const waited: number[] = [];
    const slow = createPasswordHashes(17, 4);
    const hashes = Promise.all(Array.from({ length: 4 }, () => slow.make('one of four')));
    let isOver = false;
    void hashes.then(() => {
      isOver = true;
    });
    while (!isOver) {
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: 4 }, () => stat(import.meta.dirname)));
      waited.push(performance.now() - startedAt);
    }
    await hashes;
    // In libuv's four threads the first of these would wait for a whole hash.
    expect(waited.length).toBeGreaterThan(20);
  });
});
