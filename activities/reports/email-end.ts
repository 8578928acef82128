import type { ProviderOutcome } from '../../src/providers/outcome.js';

/** By the outcome of an e-mail: whether it ends it, and how; undefined where it can be sent later. */
export function emailEnd({ kind }: ProviderOutcome): 'SENT' | 'REFUSED' | 'UNKNOWN' | undefined {
  if (kind === 'delivered') return 'SENT';
  if (kind === 'refused') return 'REFUSED';
  return kind === 'unknown' ? 'UNKNOWN' : undefined;
}
