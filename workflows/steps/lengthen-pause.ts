/** The part of the elapsed time that a pause has at least: an hour in a week. */
const PART = 168;

/**
 * A pause that grows with the time that has passed, so that a history stays short however long a
 * workflow waits: ten years have fewer than 1,500 pauses, far below the limit of a history. A hint
 * ends a pause at once.
 */
export const lengthenPause = (pauseMs: number, elapsedMs: number): number =>
  Math.max(pauseMs, Math.round(elapsedMs / PART));
