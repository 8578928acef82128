import { tellIfRunning } from '../../temporal/unless-running.js';
import { callError } from './workflow-errors.js';

/**
 * Sends a signal; a workflow that has ended needs it no more.
 *
 * @throws WorkflowsUnavailableError
 */
export const tellWorkflow = (signal: () => Promise<void>): Promise<void> =>
  tellIfRunning(signal).catch((error) => {
    throw callError(error);
  });
