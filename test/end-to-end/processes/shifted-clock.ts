import { fileURLToPath } from 'node:url';
import type { Environment } from '../../../src/config/config.ts';

/** What shifts the clock of a process by some seconds; negative: it is behind. */
export const shiftedClock = (seconds: number): Environment => ({
  NODE_OPTIONS: `--import ${fileURLToPath(new URL('shifted-clock.mjs', import.meta.url))}`,
  CLOCK_OFFSET_SECONDS: String(seconds),
});
