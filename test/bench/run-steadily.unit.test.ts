import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runSteadily } from '../../bench/run-steadily.ts';

const { signal } = new AbortController();

test('sends on while answers are late, and waits for all of them', async () => {
  let open = 0;
  let most = 0;
  const send = async () => {
    open += 1;
    most = Math.max(most, open);
    await sleep(100);
    open -= 1;
  };
  const { rate, milliseconds } = await runSteadily({ send, perSecond: 50, seconds: 0.2, signal });
  expect(milliseconds).toHaveLength(10);
  expect(rate).toBe(50);
  expect(Math.min(...milliseconds)).toBeGreaterThanOrEqual(99);
  expect(most).toBeGreaterThan(1);
  expect(open).toBe(0);
});

test('a failed call fails the run, when the others have ended', async () => {
  let ended = 0;
  const send = async () => {
    await sleep(20);
    ended += 1;
    if (ended === 1) throw new Error('refused');
  };
  const running = runSteadily({ send, perSecond: 50, seconds: 0.1, signal });
  await expect(running).rejects.toThrow('refused');
  expect(ended).toBe(5);
});

test('ends when it is told to', async () => {
  const ending = new AbortController();
  let sent = 0;
  const running = runSteadily({
    send: async () => {
      sent += 1;
      if (sent === 3) ending.abort();
    },
    perSecond: 200,
    seconds: Number.POSITIVE_INFINITY,
    signal: ending.signal,
  });
  expect((await running).milliseconds).toHaveLength(3);
});
