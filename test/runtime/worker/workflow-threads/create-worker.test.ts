import { expect, test } from 'vitest';
import { startScopedWorker } from './scoped-worker.ts';

test('workflows keep their scopes', async () => {
  const { start, ended, stop } = await startScopedWorker();
  try {
    expect(await (await start('scoped')).result()).toBe(true);
  } finally {
    await stop();
  }
  expect(await ended).toBe('without an error');
});
