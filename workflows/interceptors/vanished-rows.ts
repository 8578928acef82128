import {
  type ApplicationFailure,
  upsertSearchAttributes,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';
import { showDetails } from '../current-details.ts';
import { needsAction } from '../search-attributes.ts';
import { failureType, needsPerson } from '../steps/failures.ts';

/**
 * The type of the failure of an activity that does not find a row of its workflow: the database was
 * restored to a moment before it. Temporal does not repeat it, and no repetition brings the row back.
 */
export const ROWS_VANISHED = 'RowsVanished';

/** Ends a workflow whose rows have vanished with a clear failure, and calls a person. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [{ execute: endClearly, handleUpdate: endClearly }],
});

async function endClearly<Input>(
  input: Input,
  next: (input: Input) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await next(input);
  } catch (error) {
    throw failureType(error) === ROWS_VANISHED ? raiseVanishedRows(error) : error;
  }
}

function raiseVanishedRows(error: unknown): ApplicationFailure {
  upsertSearchAttributes([{ key: needsAction, value: true }]);
  showDetails(
    '**The database no longer has the rows of this workflow**: it was restored to a moment before ' +
      'them. The service does nothing more here.',
    'If a provider has paid or delivered, `npm run admin -- cases list` has it under our ' +
      'reference. When its caller repeats the request, another workflow takes the outcome over.',
  );
  return needsPerson(`The database no longer has the rows of ${workflowInfo().workflowId}`, error);
}
