import { setCurrentDetails } from '@temporalio/workflow';

/** Sets the details for support staff in the Temporal UI, whose frame hides a single last line. */
export const showDetails = (...paragraphs: string[]): void =>
  setCurrentDetails([...paragraphs, '<br>'].join('\n\n'));

/** A provider's message without its final punctuation, for a sentence of ours. */
export const quoted = (words: string): string => words.replace(/[.\s]+$/, '');

/** The end of a duration from now, to the minute. */
export function untilWhen(durationMs: number): string {
  const end = new Date(Date.now() + durationMs).toISOString();
  return `${end.slice(0, 16).replace('T', ' ')} UTC`;
}
