import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Session } from '../../clients/typescript/src/session.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of 300 seconds, by a clock that is years behind. */
const tokenOf = (id: number) => `${part({})}.${part({ id, iat: 1_000, exp: 1_300 })}.signature`;

function countedSession(tokenFor: (logIns: number) => string) {
  let logIns = 0;
  const session = new Session(async () => {
    logIns += 1;
    return tokenFor(logIns);
  });
  return { session, logIns: () => logIns };
}

test('a token is used until its end is near, whatever the clock says', async () => {
  const { session, logIns } = countedSession(tokenOf);
  await session.token();
  vi.advanceTimersByTime(260_000);
  expect(await session.token()).toBe(tokenOf(1));
  vi.advanceTimersByTime(20_000);
  expect(await Promise.all([session.token(), session.token()])).toEqual([tokenOf(2), tokenOf(2)]);
  expect(logIns()).toBe(2);
});

test('a token of another form is used until it is refused', async () => {
  const { session, logIns } = countedSession((count) => `opaque ${count}`);
  await session.token();
  vi.advanceTimersByTime(1_000_000_000);
  expect(await session.token()).toBe('opaque 1');
  await session.forget('opaque 0');
  expect(await session.token()).toBe('opaque 1');
  await session.forget('opaque 1');
  expect(await session.token()).toBe('opaque 2');
  expect(logIns()).toBe(2);
});

test('a failed log-in is tried again by the next call', async () => {
  const { session } = countedSession((count) => {
    if (count === 1) throw new Error('No answer');
    return tokenOf(count);
  });
  await expect(session.token()).rejects.toThrow('No answer');
  expect(await session.token()).toBe(tokenOf(2));
});
