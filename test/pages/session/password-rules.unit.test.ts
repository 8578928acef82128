import { describe, expect, it } from 'vitest';
import { passwordProblem } from '../../../src/pages/session/passwords.ts';

const about = { email: 'sara.tesfaye@till.example', companyName: 'Abyssinia Coffee & Tea' };
const problemOf = (password: string) => passwordProblem(password, about);

describe('a chosen password', () => {
  it.each([
    '123456789012',
    '098765432109',
    'abcdefghijkl',
    'qwertyuiop12',
    '1qaz2wsx3edc4rfv',
    'password1234',
    'Password123!',
    'P@ssw0rd2024',
    'PASSWORDpassword',
    'iloveyou2024!',
    'letmeinletmein',
    'unbelievable',
    'justinbieber1',
    'sunshine princess',
    'abc1abc1abc1',
    'kx9wkx9wkx9w',
    'sara.tesfaye@till.example',
    'sara.tesfaye1',
    'tesfayesara12',
    'AbyssiniaCoffee',
    'Abyssinia Coffee 2026',
    'coffeetea123',
    'Ethiopia2026!',
    'A b y s s i n i a',
    'sara-tesfaye_2026',
  ])('is refused that is quickly guessed: %s', async (password) => {
    expect(await problemOf(password)).toContain('easy to guess');
  });

  it.each([
    ['short', 'at least 12 characters'],
    ['x9'.repeat(101), 'at most 200 characters'],
    ['abababababab', 'more different characters'],
  ])('is refused in words: %s', async (password, words) => {
    expect(await problemOf(password)).toContain(words);
  });

  it.each([
    'a password of my own',
    'four words are fine',
    'correct horse battery staple',
    'zebra lamp violin',
    'xkqzvwpmtrbf',
    '7f3k-9x2m-p4qd-z8hc',
    'የእኔ ረጅም የይለፍ ቃል',
  ])('is taken: %s', async (password) => {
    expect(await problemOf(password)).toBeUndefined();
  });

  it.each([
    Array.from({ length: 200 }, (_, index) => 'abcdefgh1'[(index * 7) % 9]).join(''),
    'p4$$w0rd'.repeat(25),
    '2024-01-02'.repeat(20),
    '1234567890'.repeat(20),
  ])('is looked at quickly, however long it is: %s', async (long) => {
    // A machine that holds it up uses no time of the CPU.
    const before = process.cpuUsage();
    await problemOf(long);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
