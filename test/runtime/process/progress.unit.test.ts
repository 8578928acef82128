import { expect, test, vi } from 'vitest';
import { createProgress } from '../../../src/runtime/process/progress.ts';
import { until } from '../../support/until.ts';

function recorder(isTTY: boolean) {
  const written: string[] = [];
  const output = {
    isTTY,
    columns: 80,
    write(text: string | Uint8Array) {
      written.push(String(text));
      return true;
    },
  };
  return { progress: createProgress(output), text: () => written.join('') };
}

test('each step is one line with its seconds, and gives its result', async () => {
  const { progress, text } = recorder(false);
  await expect(progress.step('PostgreSQL', async () => 'ready')).resolves.toBe('ready');
  await expect(progress.step('Migrations', async () => 'done')).resolves.toBe('done');
  expect(text()).toMatch(/^✓ PostgreSQL \(\d+\.\d s\)\n✓ Migrations \(\d+\.\d s\)\n$/);
});

test('a failed step is marked and its error goes on', async () => {
  const { progress, text } = recorder(false);
  const failure = new Error('no disk');
  await expect(progress.step('PostgreSQL', () => Promise.reject(failure))).rejects.toBe(failure);
  expect(text()).toMatch(/^✗ PostgreSQL \(\d+\.\d s\)\n$/);
});

test('on a terminal the running steps and their details are shown while they run', async () => {
  const { progress, text } = recorder(true);
  await progress.step('Temporal', async (note) => {
    note('compiling');
    await until(() => expect(text()).toContain('compiling'));
  });
  expect(text()).toMatch(/Temporal … \d+\.\d s · compiling/);
  expect(text()).toMatch(/✓ Temporal \(\d+\.\d s\)\n$/);
});

test('on a terminal the details of work that never waits are shown, too', async () => {
  vi.useFakeTimers();
  try {
    const { progress, text } = recorder(true);
    await progress.step('Checking', async (note) => {
      vi.setSystemTime(Date.now() + 300);
      note('7 of 9');
    });
    expect(text()).toMatch(/Checking … 0\.3 s · 7 of 9/);
  } finally {
    vi.useRealTimers();
  }
});
