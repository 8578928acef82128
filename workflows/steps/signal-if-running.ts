import { getExternalWorkflowHandle, type SignalDefinition } from '@temporalio/workflow';

/** Signals another workflow; one that has ended needs no signal. */
export async function signalIfRunning(
  workflowId: string,
  signal: SignalDefinition<[]>,
): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal);
  } catch {
    // The workflow has already ended.
  }
}
