import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { expireVouchersId, reconcileId } from '../../workflows/workflow-ids.js';

export interface ScheduleSettings {
  readonly taskQueue: string;
  readonly sweepIntervalSeconds: number;
  readonly reconcileIntervalSeconds: number;
}

/** The sweep that ends what is over, and the reconciliation (design 7). */
const schedulesOf = ({
  taskQueue,
  sweepIntervalSeconds,
  reconcileIntervalSeconds,
}: ScheduleSettings): ScheduleOptions[] => [
  scheduleOf(expireVouchersId(taskQueue), {
    intervalSeconds: sweepIntervalSeconds,
    taskQueue,
    workflowType: 'expireVouchers',
    staticSummary: 'Expires vouchers that are due and prunes old operations',
  }),
  scheduleOf(reconcileId(taskQueue), {
    intervalSeconds: reconcileIntervalSeconds,
    taskQueue,
    workflowType: 'reconcile',
    staticSummary: 'Holds money on hold, refusals and the books against what is true',
  }),
];

function scheduleOf(
  scheduleId: string,
  options: {
    readonly intervalSeconds: number;
    readonly taskQueue: string;
    readonly workflowType: string;
    readonly staticSummary: string;
  },
): ScheduleOptions {
  const { intervalSeconds, ...action } = options;
  return {
    scheduleId,
    spec: { intervals: [{ every: intervalSeconds * 1_000 }] },
    action: { type: 'startWorkflow', workflowId: scheduleId, ...action },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' },
  };
}

/**
 * Creates the Schedules, or brings them to these settings. Any number of workers may call it at the
 * same time.
 */
export async function ensureSchedules(client: Client, settings: ScheduleSettings): Promise<void> {
  for (const { scheduleId, ...definition } of schedulesOf(settings)) {
    if (await created(client, { scheduleId, ...definition })) continue;
    await client.schedule
      .getHandle(scheduleId)
      .update((schedule) => ({ ...schedule, ...definition }));
  }
}

/** Creates the Schedules that are missing; returns their ids. Those that exist stay as they are. */
export async function restoreSchedules(
  client: Client,
  settings: ScheduleSettings,
): Promise<string[]> {
  const missing: string[] = [];
  for (const schedule of schedulesOf(settings))
    if (await created(client, schedule)) missing.push(schedule.scheduleId);
  return missing;
}

async function created(client: Client, schedule: ScheduleOptions): Promise<boolean> {
  try {
    await client.schedule.create(schedule);
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}
