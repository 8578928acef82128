import type { WorkflowHandle } from '@temporalio/client';

interface Message {
  readonly name?: string;
  readonly description?: string;
}

interface Metadata {
  readonly currentDetails: string;
  readonly definition: Readonly<
    Partial<Record<'signalDefinitions' | 'updateDefinitions', readonly Message[]>>
  >;
}

const metadataOf = (handle: WorkflowHandle): Promise<Metadata> =>
  handle.query<Metadata>('__temporal_workflow_metadata');

/** What the tab *User Metadata* of the Temporal UI shows of a workflow. */
export const detailsOf = async (handle: WorkflowHandle): Promise<string> =>
  (await metadataOf(handle)).currentDetails;

/** What its page lacks: words about how it stands, and what each message to it is for. */
export async function lackingWords(handle: WorkflowHandle): Promise<string[]> {
  const { currentDetails, definition } = await metadataOf(handle);
  const { signalDefinitions = [], updateDefinitions = [] } = definition;
  return [
    ...(currentDetails ? [] : ['current details']),
    ...[...signalDefinitions, ...updateDefinitions]
      .filter(({ description }) => !description)
      .map(({ name }) => `description of ${name}`),
  ];
}
