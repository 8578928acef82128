import type { WorkflowHandle } from '@temporalio/client';

/**
 * Whether the newest run of a workflow calls a person, by its history: the server moves the search attributes of an
 * ended workflow to its visibility store, and may describe it without them.
 */
export async function callsPerson(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<boolean> {
  const { events } = await handle.fetchHistory();
  const values = (events ?? []).flatMap((event) => {
    const fields =
      event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields;
    return fields?.NeedsAction?.data ?? [];
  });
  const last = values.at(-1);
  return last !== undefined && JSON.parse(Buffer.from(last).toString()) === true;
}
