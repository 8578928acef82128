import { LRUCache } from 'lru-cache';
import type { HttpAnswer } from '../../http-call.ts';
import { readJson } from '../../read-json.ts';
import { requestStateSchema } from './answers.ts';

/** Request states that are asked about; an older one is forgotten, and counts from the beginning. */
const MAXIMUM_STATES = 10_000;

/** How often this process may still ask for each request state (providers.md 3.1, `pollLimit`). */
export interface PollLimits {
  /** Counts a poll; false where the provider allows no further one. */
  take(id: string): boolean;
  /** Notes the limit that an answer names. */
  note(id: string, answer: HttpAnswer): void;
}

export function createPollLimits(): PollLimits {
  const states = new LRUCache<string, { polls: number; limit: number }>({ max: MAXIMUM_STATES });
  const stateOf = (id: string) => states.get(id) ?? { polls: 0, limit: Number.POSITIVE_INFINITY };
  return {
    take(id) {
      const { polls, limit } = stateOf(id);
      if (polls >= limit) return false;
      states.set(id, { polls: polls + 1, limit });
      return true;
    },
    note(id, { body }) {
      const limit = readJson(requestStateSchema, body)?.polllimit;
      if (limit != null) states.set(id, { ...stateOf(id), limit });
    },
  };
}
