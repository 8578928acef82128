import {
  ApplicationFailure,
  condition,
  getCurrentDetails,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { needsAction } from '../search-attributes.js';

/**
 * The type of the failure of a step that the database refuses, such as for a missing right. Temporal does
 * not repeat it; the workflow does, with pauses, and calls a person.
 */
export const STEP_REFUSED = 'StepRefused';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60 * 1_000;
/** The first refusal may be a race with another transaction. */
const CALLS_FROM_REFUSAL = 2;

const NOTICE =
  '**The database refuses a step of this workflow, and a person is needed**: the log of the worker has ' +
  'the error. The step is tried again every few minutes; nothing is done twice.\n\n';

/**
 * The tries of one step. Older histories have no such failure: the step was repeated inside itself, so
 * that the commands here need no patch.
 */
export function createTries() {
  let refusals = 0;
  let wasRaised = false;

  /** Notes a refusal of the database; every other error is thrown on. */
  function note(error: unknown): void {
    if (!(error instanceof ApplicationFailure) || error.type !== STEP_REFUSED) throw error;
    refusals += 1;
    if (refusals < CALLS_FROM_REFUSAL) return;
    // What the workflow shows meanwhile stays below the notice.
    const details = getCurrentDetails();
    if (!details.startsWith(NOTICE)) setCurrentDetails(`${NOTICE}${details}`);
    if (workflowInfo().typedSearchAttributes.get(needsAction) === true) return;
    upsertSearchAttributes([{ key: needsAction, value: true }]);
    wasRaised = true;
  }

  const pause = (): Promise<boolean> =>
    condition(() => false, Math.min(FIRST_PAUSE_MS * 2 ** (refusals - 1), LONGEST_PAUSE_MS), {
      summary: 'The database refused a step: try again',
    });

  /** The step was done. */
  function done(): void {
    if (refusals === 0) return;
    const details = getCurrentDetails();
    if (details.startsWith(NOTICE)) setCurrentDetails(details.slice(NOTICE.length));
    if (wasRaised) upsertSearchAttributes([{ key: needsAction, value: false }]);
  }

  return { note, pause, done };
}

/** Runs a step until the database no longer refuses it. */
export async function untilNotRefused<Result>(step: () => Promise<Result>): Promise<Result> {
  const tries = createTries();
  for (;;) {
    try {
      const result = await step();
      tries.done();
      return result;
    } catch (error) {
      tries.note(error);
    }
    await tries.pause();
  }
}
