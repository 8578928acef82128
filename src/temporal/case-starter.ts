import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { CaseStarter } from '../../activities/ports.js';
import type { followCase } from '../../workflows/follow-case.js';
import type { CaseName } from '../../workflows/messages.js';
import { caseId } from '../../workflows/workflow-ids.js';

/** The workflows that activities start for cases. */
export function createCaseStarter(options: {
  readonly client: Client;
  readonly taskQueue: string;
  /** How often a case looks whether it has been settled. */
  readonly intervalMs: number;
}): CaseStarter {
  const { client, taskQueue, intervalMs } = options;

  async function start(name: CaseName, summary: string): Promise<boolean> {
    try {
      await client.workflow.start<typeof followCase>('followCase', {
        workflowId: caseId(name, taskQueue),
        taskQueue,
        args: [{ name, intervalMs }],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: summary,
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  return { start };
}
