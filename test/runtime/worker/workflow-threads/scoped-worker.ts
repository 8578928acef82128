import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeWorkflowBundle } from '../../../../src/runtime/temporal/workflow-bundle.ts';
import { createWorker } from '../../../../src/runtime/worker/workflow-threads/create-worker.ts';
import { connectTestTemporal } from '../../../support/workflow-worker.ts';

/** A worker that runs the workflows beside this file; `ended` says how. */
export async function startScopedWorker() {
  const directory = await mkdtemp(join(tmpdir(), 'workflow-threads-'));
  const temporal = await connectTestTemporal();
  const codePath = join(directory, 'bundle.js');
  await writeWorkflowBundle(codePath, fileURLToPath(new URL('workflows.ts', import.meta.url)));
  const taskQueue = `test-${randomUUID()}`;
  const { connection, namespace, dataConverter, client } = temporal;
  const worker = await createWorker({
    connection,
    namespace,
    dataConverter,
    taskQueue,
    workflowBundle: { codePath },
  });
  const ended = worker.run().then(
    () => 'without an error',
    (error: unknown) => String(error),
  );
  const close = async () => {
    await temporal.connection.close();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    ended,
    start: (name: string) => client.workflow.start(name, { taskQueue, workflowId: randomUUID() }),
    /** Frees what the worker used, once it has ended. */
    close,
    async stop() {
      worker.shutdown();
      await ended;
      await close();
    },
  };
}
