import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { expireVouchersId, reconcileId } from '../../workflows/workflow-ids.js';

/**
 * Creates the Schedules, or brings them to these settings: the sweep that expires vouchers, and the
 * reconciliation (design 7). Any number of workers may call it at the same time.
 */
export async function ensureSchedules(
  client: Client,
  options: {
    readonly taskQueue: string;
    readonly sweepIntervalSeconds: number;
    readonly reconcileIntervalSeconds: number;
  },
): Promise<void> {
  const { taskQueue } = options;
  await ensureSchedule(client, expireVouchersId(taskQueue), {
    intervalSeconds: options.sweepIntervalSeconds,
    taskQueue,
    workflowType: 'expireVouchers',
    staticSummary: 'Expires vouchers that are due and prunes old operations',
  });
  await ensureSchedule(client, reconcileId(taskQueue), {
    intervalSeconds: options.reconcileIntervalSeconds,
    taskQueue,
    workflowType: 'reconcile',
    staticSummary: 'Holds money on hold, refusals and the books against what is true',
  });
}

async function ensureSchedule(
  client: Client,
  scheduleId: string,
  options: {
    readonly intervalSeconds: number;
    readonly taskQueue: string;
    readonly workflowType: string;
    readonly staticSummary: string;
  },
): Promise<void> {
  const { intervalSeconds, ...action } = options;
  const definition = {
    spec: { intervals: [{ every: intervalSeconds * 1_000 }] },
    action: { type: 'startWorkflow' as const, workflowId: scheduleId, ...action },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
  };
  try {
    await client.schedule.create({ scheduleId, ...definition });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(scheduleId)
      .update((schedule) => ({ ...schedule, ...definition }));
  }
}
