import { expect, onTestFinished, test } from 'vitest';
import { startChaosProcess } from './chaos/chaos-process.ts';

/** Half a minute of chaos, some to start, the draining, and what a busy machine adds. */
const TIMEOUT_MS = 480_000;

test('after half a minute of random faults everything is explained', {
  timeout: TIMEOUT_MS,
}, async () => {
  const chaos = startChaosProcess(['--minutes', '0.5', '--clients', '8']);
  // After a timeout its servers must not stay behind.
  onTestFinished(async () => {
    chaos.interrupt('SIGTERM');
    await chaos.ended;
  });
  const exitCode = await chaos.ended;
  // The output begins with the seed and ends with the findings.
  expect(exitCode, chaos.output()).toBe(0);
  expect(chaos.output()).toMatch(/Seed \d+: \d+ calls, and everything is explained/);
});
