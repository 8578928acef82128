import type { WorkflowHandle } from '@temporalio/client';

/**
 * Whether a workflow has called a person, by its history: the server moves the search attributes of an
 * ended workflow to its visibility store, and describes it without them meanwhile.
 */
export async function hasCalledPerson(
  handle: Pick<WorkflowHandle, 'fetchHistory'>,
): Promise<boolean> {
  const { events } = await handle.fetchHistory();
  const values = (events ?? []).flatMap((event) => {
    const fields =
      event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields;
    return fields?.NeedsAction?.data ?? [];
  });
  const last = values.at(-1);
  return last !== undefined && JSON.parse(Buffer.from(last).toString()) === true;
}
