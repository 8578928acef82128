import type { ProviderOutcome } from '../../src/providers/outcome.js';

/** The outcome of a message, without its text or number. */
export type MessageOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown' };

/** The outcome in the columns of the database; an unsent message returns to the queue. */
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

/** The outcome for workflows. */
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

/** The recorded outcome of an earlier attempt. */
export function recordedOutcome(row: {
  readonly status: string;
  readonly provider_message: string | null;
}): MessageOutcome {
  if (row.status === 'SENT') return { kind: 'accepted' };
  if (row.status === 'REFUSED' || row.status === 'CANCELLED')
    return { kind: 'refused', message: row.provider_message ?? 'the message was cancelled' };
  return { kind: 'unknown' };
}

/** The outcome of an interrupted sending. */
export const cutOff: ProviderOutcome = {
  kind: 'unknown',
  message: 'the worker stopped while it was sending',
};
