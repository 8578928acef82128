import type { WorkflowHandle } from '@temporalio/client';

/** What the tab *User Metadata* of the Temporal UI shows of a workflow. */
export async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const { currentDetails } = await handle.query<{ currentDetails: string }>(
    '__temporal_workflow_metadata',
  );
  return currentDetails;
}
