import type { Client } from '@temporalio/client';
import type { CaseStarter } from '../../activities/workflow-starters.ts';
import type { CaseName } from '../../workflows/contracts.ts';
import type { followCase } from '../../workflows/follow-case.ts';
import { caseId } from '../../workflows/workflow-ids.ts';
import { startUnlessRunning } from './unless-running.ts';
import { type StartNames, searchAttributesOf } from './workflow-starts.ts';

/** Starts the workflows of cases for activities. */
export function createCaseStarter(options: {
  readonly client: Client;
  readonly taskQueue: string;
  /** Interval at which a case checks whether it is settled. */
  readonly intervalMs: number;
}): CaseStarter {
  const { client, taskQueue, intervalMs } = options;

  const start = (name: CaseName, summary: string, names: StartNames): Promise<boolean> =>
    startUnlessRunning(() =>
      client.workflow.start<typeof followCase>('followCase', {
        workflowId: caseId(name, taskQueue),
        taskQueue,
        args: [{ name, intervalMs }],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: summary,
        ...searchAttributesOf('case', names),
      }),
    );

  return { start };
}
