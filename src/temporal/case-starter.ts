import type { Client } from '@temporalio/client';
import type { CaseStarter } from '../../activities/ports.js';
import type { followCase } from '../../workflows/follow-case.js';
import type { CaseName } from '../../workflows/messages.js';
import { caseId } from '../../workflows/workflow-ids.js';
import { startUnlessRunning } from './unless-running.js';

/** The workflows that activities start for cases. */
export function createCaseStarter(options: {
  readonly client: Client;
  readonly taskQueue: string;
  /** How often a case looks whether it has been settled. */
  readonly intervalMs: number;
}): CaseStarter {
  const { client, taskQueue, intervalMs } = options;

  const start = (name: CaseName, summary: string): Promise<boolean> =>
    startUnlessRunning(() =>
      client.workflow.start<typeof followCase>('followCase', {
        workflowId: caseId(name, taskQueue),
        taskQueue,
        args: [{ name, intervalMs }],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: summary,
      }),
    );

  return { start };
}
