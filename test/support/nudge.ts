import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { providerNudge } from '../../workflows/contracts.ts';

/** Lets a workflow ask again at once. It may have asked by itself since its cause was mended, and have ended. */
export const nudge = (workflow: WorkflowHandle): Promise<void> =>
  workflow.signal(providerNudge).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
