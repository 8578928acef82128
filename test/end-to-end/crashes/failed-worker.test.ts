import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProcessScene, setProcessScene } from '../processes/process-scene.ts';

let scene: ProcessScene;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'failed-worker-'));
  scene = await setProcessScene();
  expect(await scene.start('migrate').ended).toBe(0);
});
afterAll(async () => {
  await scene?.stop();
  await rm(directory, { recursive: true, force: true });
});

const preload = fileURLToPath(new URL('end-workflow-thread.cjs', import.meta.url));

it.each([
  ['worker', 'Worker is running'],
  ['service', 'Service is running'],
] as const)(
  'the process %s ends with 1 when its worker fails for good',
  async (name, message) => {
    const file = join(directory, name);
    const child = scene.start(name, {
      NODE_OPTIONS: `--require=${preload}`,
      END_WORKFLOW_THREAD: file,
      // Something for the worker to fail at.
      EXPIRY_RUN_INTERVAL_SECONDS: '1',
    });
    await child.logged(message);
    await writeFile(file, '');
    expect(await child.ended).toBe(1);
    expect(child.output()).toContain('The worker failed');
  },
  120_000,
);
