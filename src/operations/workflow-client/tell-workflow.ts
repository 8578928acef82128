import { tellIfRunning } from '../../runtime/temporal/workflow-starts.ts';
import type { WorkflowCallOptions } from './workflow-call-options.ts';
import {
  callError,
  foundNobody,
  StillProcessingError,
  WorkflowsUnavailableError,
} from './workflow-errors.ts';

type TellOptions = Pick<WorkflowCallOptions, 'client' | 'reachability' | 'callerWaitMs'>;

/**
 * Sends a signal within the wait of a caller; a workflow that has ended needs it no more. Nothing waits for an answer
 * to a signal: one that is not known to have arrived is unavailable, and its sender repeats it.
 *
 * @throws WorkflowsUnavailableError
 */
export async function tellWorkflow(
  { client, reachability, callerWaitMs }: TellOptions,
  signal: () => Promise<void>,
): Promise<void> {
  if (!(await reachability.isReachable())) throw new WorkflowsUnavailableError(true);
  try {
    await tellIfRunning(() => client.withDeadline(Date.now() + callerWaitMs, signal));
  } catch (error) {
    const found = callError(error);
    const isUnknown = found instanceof StillProcessingError;
    if (isUnknown || foundNobody(error)) reachability.doubt();
    throw isUnknown ? new WorkflowsUnavailableError(false, error) : found;
  }
}
