import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { expireVouchersId } from '../../workflows/workflow-ids.js';

/**
 * Creates the Schedules, or brings them to these settings: the sweep that expires vouchers (design
 * 7). Any number of workers may call it at the same time.
 */
export async function ensureSchedules(
  client: Client,
  options: { readonly taskQueue: string; readonly sweepIntervalSeconds: number },
): Promise<void> {
  const scheduleId = expireVouchersId(options.taskQueue);
  const definition = {
    spec: { intervals: [{ every: options.sweepIntervalSeconds * 1_000 }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'expireVouchers',
      workflowId: scheduleId,
      taskQueue: options.taskQueue,
      staticSummary: 'Expires vouchers that are due and prunes old operations',
    },
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
