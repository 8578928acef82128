import { setCurrentDetails } from '@temporalio/workflow';
import { messageOf, quoted, type Refusal } from '../src/domain/refusals.ts';
import { summary } from './search-attributes.ts';

/** Temporal's SQL databases keep at most 255 characters of a keyword. */
const LONGEST_SUMMARY = 200;

/** The row of the workflow in lists. */
export const inRows = (text: string) =>
  ({ key: summary, value: text.slice(0, LONGEST_SUMMARY) }) as const;

/** The details of a workflow from its start on: the way back to its case at /support. */
export const linkToDesk = (publicUrl: string, workflowId: string): string =>
  `[Open the case at the support desk](${publicUrl}/support/workflows/${encodeURIComponent(workflowId)})`;

/** Sets the details for support staff in the Temporal UI, whose frame hides a single last line. */
export const showDetails = (...paragraphs: string[]): void =>
  setCurrentDetails([...paragraphs, '<br>'].join('\n\n'));

/** Lines as a list of the details. */
export const bulletList = (lines: Iterable<string>): string =>
  Array.from(lines, (line) => `- ${line}`).join('\n');

/** The paragraph of a step under way about its money. */
export const ON_HOLD =
  'The money is on hold until the provider tells the outcome. No action is needed.';

/** The paragraph of a step that the database has refused for too long. */
export const PERSON_NEEDED =
  '**A person is needed**: the log of the worker has the error of the database.';

/** The end of a duration from now, to the minute. */
export function untilWhen(durationMs: number): string {
  const end = new Date(Date.now() + durationMs).toISOString();
  return `${end.slice(0, 16).replace('T', ' ')} UTC`;
}

/** The end of a request that one step decides: what it did, or why it was refused. */
export function showAnswer<Result extends { readonly ok: true }>(
  what: string,
  result: Result | Refusal,
  done: (result: Result) => readonly string[],
): void {
  if (result.ok) showDetails(...done(result));
  else
    showDetails(
      `**Refused**: ${what}: ${quoted(messageOf(result.reason, result.detail))}.`,
      'Nothing was changed, and no money has moved.',
    );
}
