import { setImmediate as untilNextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWaiting } from '../../src/sandbox/callbacks.ts';

test('any number may wait at once without a warning of a leak, and all go on when it ends', async () => {
  const warnings: string[] = [];
  const listen = ({ name }: Error) => warnings.push(name);
  process.on('warning', listen);
  const waiting = createWaiting(1);
  const waits = Array.from({ length: 50 }, () => waiting.wait(60));
  await untilNextRound();
  waiting.end();
  await Promise.all(waits);
  await waiting.wait(60);
  await untilNextRound();
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

test('a wait takes its scaled time', async () => {
  const began = performance.now();
  await createWaiting(0.01).wait(5);
  expect(performance.now() - began).toBeGreaterThanOrEqual(49);
});
