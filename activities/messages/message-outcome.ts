import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import type { AskedProviders, WithProviders } from '../../workflows/steps/asked-providers.ts';

/** The outcome of a message, without its text or number. */
export type MessageOutcome = WithProviders<
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'not-sent'; readonly message: string; readonly isHopeless?: true }
  | { readonly kind: 'unknown' }
>;

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
export function publicOutcome(outcome: ProviderOutcome, asked?: AskedProviders): MessageOutcome {
  const whom = asked && { asked };
  switch (outcome.kind) {
    case 'delivered':
      return { kind: 'accepted', ...whom };
    case 'refused':
    case 'not-sent':
      return { kind: outcome.kind, message: outcome.message, ...whom };
    case 'unknown':
      return { kind: 'unknown', ...whom };
  }
}

/** The recorded outcome of an earlier attempt. */
export function recordedOutcome(row: {
  readonly status: string;
  readonly provider_message: string | null;
  readonly provider?: string | null;
  readonly failovers?: AskedProviders['failovers'];
}): MessageOutcome {
  const { provider, failovers = [] } = row;
  const whom = provider ? { asked: { provider, failovers } } : undefined;
  if (row.status === 'QUEUED')
    return { kind: 'not-sent', message: row.provider_message ?? 'it was not sent', ...whom };
  if (row.status === 'SENT') return { kind: 'accepted', ...whom };
  if (row.status === 'REFUSED' || row.status === 'CANCELLED') {
    const message = row.provider_message ?? 'the message was cancelled';
    return { kind: 'refused', message, ...whom };
  }
  return { kind: 'unknown', ...whom };
}

/** The outcome of an interrupted sending. */
export const cutOff = {
  kind: 'unknown',
  message: 'the worker stopped while it was sending',
} as const satisfies ProviderOutcome;
