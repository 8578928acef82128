import type { BooksPart } from '../activities/reconciliation.ts';
import { reconciliation, wholeBooks } from './activity-options.ts';
import { bulletList, showDetails } from './current-details.ts';
import { needsPerson } from './steps/failures.ts';

const MAXIMUM_SHOWN = 20;

/** The effect of a whole check, for the Temporal UI. */
interface CheckBooksResult {
  readonly parts: number;
}

/**
 * Checks all books, part by part. A Schedule starts it every night: the reconciliation looks only at
 * what has changed, so an old row that somebody has edited by hand is found here. Faults open the case
 * of the books.
 *
 * @throws ApplicationFailure that names the first faults
 */
export async function checkBooks(): Promise<CheckBooksResult> {
  const faults: string[] = [];
  let faultCount = 0;
  let parts = 0;
  for (let next: BooksPart['next'] | undefined; next !== null; ) {
    const part: BooksPart = await wholeBooks.checkBooksPart(next);
    faults.push(...part.faults.slice(0, MAXIMUM_SHOWN - faults.length));
    faultCount += part.faultCount;
    parts += 1;
    next = part.next;
    if (next) showDetails(`**Under way**: ${part.progress}. Faults: ${faultCount}.`);
  }
  if (faultCount === 0) {
    showDetails('**In order.**');
    return { parts };
  }
  await reconciliation.openCases(true);
  showDetails(
    `**The books do not agree**: ${faultCount} faults. Their case, found by \`NeedsAction = true\`, ` +
      'says what to do. This run needs no action.',
    bulletList(faults),
  );
  throw needsPerson(faults.join('\n'));
}
