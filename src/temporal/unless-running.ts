import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';

/**
 * Starts a workflow whose id must be unique among running ones; false where one is already running.
 */
export async function startUnlessRunning(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Sends a signal to a workflow; a completed workflow does not need it. */
export async function tellIfRunning(tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
