import { setCurrentDetails } from '@temporalio/workflow';

/** What support staff read in the Temporal UI; its frame hides a last line that stands alone. */
export const showDetails = (...paragraphs: string[]): void =>
  setCurrentDetails([...paragraphs, '<br>'].join('\n\n'));

/** A provider's words, to stand before a full stop of ours. */
export const quoted = (words: string): string => words.replace(/[.\s]+$/, '');

/** When a time from now will be over, to the minute. */
export function untilWhen(durationMs: number): string {
  const end = new Date(Date.now() + durationMs).toISOString();
  return `${end.slice(0, 16).replace('T', ' ')} UTC`;
}
