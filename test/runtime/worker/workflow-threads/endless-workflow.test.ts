import { expect, test } from 'vitest';
import { startScopedWorker } from './scoped-worker.ts';

test('a workflow that never pauses ends its worker with an error that says so', async () => {
  const { start, ended, close } = await startScopedWorker();
  try {
    const handle = await start('endless');
    expect(await ended).toContain('A workflow ran for 10 s without a pause');
    await handle.terminate();
  } finally {
    await close();
  }
});
