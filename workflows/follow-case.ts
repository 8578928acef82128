import {
  CancellationScope,
  condition,
  continueAsNew,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { cases } from './activity-options.ts';
import { type CaseInput, lookAgain } from './contracts.ts';
import { showDetails } from './current-details.ts';
import { needsAction } from './search-attributes.ts';
import { untilNotRefused } from './steps/failures.ts';

/** After so many looks the workflow continues as new, so that no history grows for months. */
const MAXIMUM_LOOKS = 200;

type CaseState = Awaited<ReturnType<Activities['readCase']>>;

/** The end of a case, for the Temporal UI. */
interface FollowCaseResult {
  readonly ended: 'settled';
}

/**
 * Shows a case in the Temporal UI. Support staff find it by `NeedsAction = true` until it is settled. It moves no
 * money: the end of a case is in the database, and this workflow reads it there. A cancellation in the UI changes
 * nothing.
 */
export function followCase(input: CaseInput): Promise<FollowCaseResult> {
  return CancellationScope.nonCancellable(() => follow(input));
}

async function follow(input: CaseInput): Promise<FollowCaseResult> {
  let isAsked = false;
  setHandler(
    lookAgain,
    () => {
      isAsked = true;
    },
    { description: 'Looks at once whether it has been settled. Needs no input.' },
  );
  let isShown = false;
  for (let looks = 1; ; looks += 1) {
    const { isOpen, paragraphs } = await untilNotRefused(read, () => isAsked);
    if (!isShown || !isOpen) upsertSearchAttributes([{ key: needsAction, value: isOpen }]);
    isShown = true;
    showDetails(...paragraphs);
    if (!isOpen) return { ended: 'settled' };
    await condition(() => isAsked, input.intervalMs, { summary: 'Until it is looked at again' });
    if (looks === MAXIMUM_LOOKS) await continueAsNew<typeof followCase>(input);
  }

  function read(): Promise<CaseState> {
    isAsked = false;
    return cases.readCase(input);
  }
}
