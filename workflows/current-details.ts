import { setCurrentDetails } from '@temporalio/workflow';

/** What support staff read in the Temporal UI; its frame hides a last line that stands alone. */
export const showDetails = (...paragraphs: string[]): void =>
  setCurrentDetails([...paragraphs, '<br>'].join('\n\n'));

/** A provider's words, to stand before a full stop of ours. */
export const quoted = (words: string): string => words.replace(/[.\s]+$/, '');
