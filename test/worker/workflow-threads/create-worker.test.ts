import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeWorkflowBundle } from '../../../src/temporal/workflow-bundle.ts';
import { createWorker } from '../../../src/worker/workflow-threads/create-worker.ts';
import { connectTestTemporal } from '../../support/workflow-worker.ts';

test('workflows keep their scopes, and one that never pauses ends its worker with an error that says so', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'workflow-threads-'));
  const temporal = await connectTestTemporal();
  try {
    const codePath = join(directory, 'bundle.js');
    await writeWorkflowBundle(codePath, fileURLToPath(new URL('workflows.ts', import.meta.url)));
    const taskQueue = `test-${randomUUID()}`;
    const { connection, namespace, dataConverter, client } = temporal;
    const worker = await createWorker({
      ...{ connection, namespace, dataConverter, taskQueue },
      workflowBundle: { codePath },
    });
    const ended = worker.run().then(
      () => 'without an error',
      (error: unknown) => String(error),
    );
    const start = (name: string) =>
      client.workflow.start(name, { taskQueue, workflowId: randomUUID() });
    const keepsScope = await (await start('scoped')).result();
    const handle = await start('endless');
    expect(await ended).toContain('A workflow ran for 10 s without a pause');
    await handle.terminate();
    expect(keepsScope).toBe(true);
  } finally {
    await temporal.connection.close();
    await rm(directory, { recursive: true, force: true });
  }
});
