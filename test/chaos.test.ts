import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../chaos/index.ts', import.meta.url));
/** A minute of chaos, some to start, the draining, and what a busy machine adds. */
const TIMEOUT_MS = 480_000;

// As a command, as people run it: with a stack and servers of its own, which it stops by itself.
test('after a minute of random faults everything is explained', {
  timeout: TIMEOUT_MS,
}, async () => {
  const options = ['--minutes', '1', '--clients', '8'];
  const words = ['--import', 'tsx', script, ...options];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const interrupt = () => child.kill('SIGTERM');
  process.once('exit', interrupt);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [exitCode] = await once(child, 'close');
  process.off('exit', interrupt);
  // The output begins with the seed and ends with the findings.
  expect(exitCode, output).toBe(0);
  expect(output).toMatch(/Seed \d+: \d+ calls, and everything is explained/);
});
