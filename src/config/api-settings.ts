import { z } from 'zod';
import { keyRing } from './setting-kinds.js';

/** What the API reads besides what it shares with the worker. */
export const apiSettings = {
  /** Whether API keys are kept encrypted, so that people can copy them in the portal. */
  PORTAL_KEY_COPY: z.enum(['on', 'off']).default('on'),
  /** AES-256-GCM keys for API keys that can be copied; no other process has them. */
  COPY_KEYS: keyRing.optional(),
};
