import { Client, Connection, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { ROWS_VANISHED } from '../../workflows/interceptors/vanished-rows.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';

const OF_MONEY = `WorkflowType in (
  'generateVoucher', 'generateBulk', 'cancelVoucher', 'redeemVoucher', 'topup')`;

/** Workflows that ended in another way than by a result: a person would have to look at them. */
const RED = "ExecutionStatus in ('Failed', 'Terminated', 'TimedOut', 'Canceled')";

/** What Schedules run: a red run is their alarm, and the next one is green when its cause is gone. */
const SCHEDULED = ['reconcile', 'expireVouchers'] as const;

/**
 * The workflows that still run, the red ones, and what asks for a person (I8).
 *
 * @throws {ServiceError} while Temporal does not answer, or does not know our search attributes yet
 */
export async function findWorkflows({ config }: Pick<ThrowawayStack, 'config'>) {
  const connection = await Connection.connect({ address: config.temporal.temporalAddress });
  try {
    const { workflow } = new Client({ connection, namespace: config.temporal.temporalNamespace });
    const list = async (query: string) => {
      const ids: string[] = [];
      for await (const { workflowId, startTime } of workflow.list({ query }))
        ids.push(`${workflowId}, started at ${startTime.toISOString()}`);
      return ids;
    };
    const isScheduled = `WorkflowType in (${SCHEDULED.map((type) => `'${type}'`).join(', ')})`;
    const newestRed: string[] = [];
    for (const type of SCHEDULED) {
      // The newest comes first.
      const closed = workflow.list({
        query: `WorkflowType = '${type}' and ExecutionStatus != 'Running'`,
        pageSize: 1,
      });
      for await (const { workflowId, status } of closed) {
        if (status.name !== 'COMPLETED') newestRed.push(`the newest run ${workflowId} is red`);
        break;
      }
    }
    const red: string[] = [];
    const restored: string[] = [];
    const failed = workflow.list({ query: `${RED} and not ${isScheduled}` });
    for await (const { workflowId, runId, startTime } of failed) {
      const isRestored = await isOfRestore(workflow.getHandle(workflowId, runId));
      (isRestored ? restored : red).push(`${workflowId}, started at ${startTime.toISOString()}`);
    }
    return {
      running: await list(`${OF_MONEY} and ExecutionStatus = 'Running'`),
      red,
      /** Red ones whose rows a restore took back: each calls a person, and says so. */
      restored,
      /** Red runs of Schedules: each had something to report. */
      alarms: await list(`${RED} and ${isScheduled}`),
      /** What still asks for a person: open alarms, and a Schedule whose newest run is red. */
      needsAction: [
        ...newestRed,
        ...(await list("NeedsAction = true and ExecutionStatus = 'Running'")),
      ],
    };
  } finally {
    await connection.close();
  }
}

/** Whether a run failed because a restore took its rows back. */
async function isOfRestore(handle: WorkflowHandle): Promise<boolean> {
  try {
    await handle.result();
    return false;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    let cause: unknown = error.cause;
    for (; cause instanceof Error; cause = cause.cause)
      if (cause instanceof ApplicationFailure && cause.type === ROWS_VANISHED) return true;
    return false;
  }
}
