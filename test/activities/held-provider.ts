import type { MessageOutcome } from '../../activities/messages.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';

/** What a provider answers, for each way in which a sending can end. */
export const outcomes = {
  accepted: { kind: 'delivered', providerReference: 'P-1' },
  refused: { kind: 'refused', code: 'X', message: 'nobody has this', retryCanHelp: false },
  'not-sent': { kind: 'not-sent', message: 'no connection' },
  unknown: { kind: 'unknown', message: 'no answer' },
} as const satisfies Record<MessageOutcome['kind'], ProviderOutcome>;

export type SendingEnd = keyof typeof outcomes;
export const kinds = Object.keys(outcomes) as SendingEnd[];

/** The status of a message that ended so. */
export const statuses = {
  accepted: 'SENT',
  refused: 'REFUSED',
  'not-sent': 'QUEUED',
  unknown: 'UNKNOWN',
} as const satisfies Record<SendingEnd, string>;

/** A provider that answers when it is let, and how often it was asked. */
export function heldProvider() {
  const provider = {
    asked: 0,
    answer: (_outcome: ProviderOutcome) => {},
    fail: (_error: Error) => {},
  };
  const answered = new Promise<ProviderOutcome>((resolve, reject) => {
    provider.answer = resolve;
    provider.fail = reject;
  });
  const port = {
    send: () => {
      provider.asked += 1;
      return answered;
    },
  };
  return { provider, port };
}
