import { delaySecondsOf } from '../../src/sandbox/scenarios.ts';

/** A number of Ethio telecom that the sandbox tops up after a delay. */
export const slowNumber = '+251911234100';

/** That delay, and how long the activity takes that stands for the provider in the baseline. */
export const providerMilliseconds = 50;

export const sandboxDelayScale = providerMilliseconds / 1_000 / delaySecondsOf(slowNumber);
