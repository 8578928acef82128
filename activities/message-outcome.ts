import type { ProviderOutcome } from '../src/providers/outcome.js';

/** How a message ended, without anything of its text or number. */
export type MessageOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown' };

/** What the database keeps of an outcome; what was not sent goes back into the queue. */
export function recordOf(outcome: ProviderOutcome) {
  switch (outcome.kind) {
    case 'delivered':
      return { status: 'SENT', providerReference: outcome.providerReference } as const;
    case 'refused':
      return { status: 'REFUSED', providerMessage: outcome.message } as const;
    case 'not-sent':
      return { status: 'QUEUED', providerMessage: outcome.message } as const;
    case 'unknown':
      return { status: 'UNKNOWN', providerMessage: outcome.message } as const;
  }
}

/** What workflows are told of an outcome. */
export function publicOutcome(outcome: ProviderOutcome): MessageOutcome {
  switch (outcome.kind) {
    case 'delivered':
      return { kind: 'accepted' };
    case 'refused':
    case 'not-sent':
      return { kind: outcome.kind, message: outcome.message };
    case 'unknown':
      return { kind: 'unknown' };
  }
}

/** What an earlier try of the same message left behind. */
export function recordedOutcome(row: {
  readonly status: string;
  readonly provider_message: string | null;
}): MessageOutcome {
  if (row.status === 'SENT') return { kind: 'accepted' };
  if (row.status === 'REFUSED' || row.status === 'CANCELLED')
    return { kind: 'refused', message: row.provider_message ?? 'the message was cancelled' };
  return { kind: 'unknown' };
}

/** What is known of a message that was cut off in the middle of sending. */
export const cutOff: ProviderOutcome = {
  kind: 'unknown',
  message: 'the worker stopped while it was sending',
};
