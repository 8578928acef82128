import { setTimeout as pause } from 'node:timers/promises';
import { startApi } from '../../src/api.ts';
import { createLogger } from '../../src/runtime/process/logger.ts';
import { startWorker } from '../../src/worker.ts';
import { generateVoucherId, redeemVoucherWithoutClaimId } from '../../workflows/workflow-ids.ts';
import type { Stack } from './stack.ts';

/** Stops API and worker and starts them anew, as after a deployment; the new API has a new port. */
export async function restarted(stack: Stack): Promise<Stack> {
  await stack.api.stop();
  await stack.worker.stop();
  const logger = createLogger('silent', 'test');
  const worker = await startWorker(stack.config, stack.temporal, {
    logger,
  });
  const api = await startApi(stack.config, stack.temporal, { logger, eager: true });
  return {
    ...stack,
    api,
    worker,
    url: `http://127.0.0.1:${api.port}`,
    async stop() {
      await api.stop();
      await worker.stop();
      await stack.stop();
    },
  };
}

const NOT_FOUND = 5;
const POLL_MS = 200;

/** Deletes every workflow of this stack from Temporal, as its retention does in the end. */
export async function forgetWorkflows(stack: Stack): Promise<number> {
  const { client } = stack.temporal;
  const operations = await stack.database.selectFrom('operations').select('id').execute();
  const claims = await stack.database.selectFrom('voucher_claims').select('workflow_id').execute();
  const ids = operations.flatMap(({ id }) => [
    generateVoucherId(id),
    redeemVoucherWithoutClaimId(id),
  ]);
  const topups = await stack.database.selectFrom('topups').select('workflow_id').execute();
  for (const { workflow_id } of [...claims, ...topups]) if (workflow_id) ids.push(workflow_id);
  /** Deletes the newest run; the id is free of runs once there is none to delete. */
  const deleteNewestRun = (workflowId: string): Promise<boolean> =>
    client.workflowService
      .deleteWorkflowExecution({
        namespace: stack.temporal.namespace,
        workflowExecution: { workflowId },
      })
      .then(
        () => true,
        (error) => {
          if (error.code === NOT_FOUND) return false;
          throw error;
        },
      );
  const known = async (of: readonly string[]): Promise<string[]> => {
    const deleted = await Promise.all(of.map(deleteNewestRun));
    return of.filter((_id, index) => deleted[index]);
  };
  // An id can have had several runs, and the server takes its time for each.
  const forgotten = await known(ids);
  let left = forgotten;
  while (left.length > 0) {
    await pause(POLL_MS);
    left = await known(left);
  }
  return forgotten.length;
}
