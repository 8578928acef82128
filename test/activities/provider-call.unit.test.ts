import { describe, expect, it } from 'vitest';
import { onOwnClock, sendValue } from '../../activities/provider-call.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';

const delivered: ProviderOutcome = { kind: 'delivered', providerReference: 'OP1' };
const refused: ProviderOutcome = {
  kind: 'refused',
  code: 'NO',
  message: 'No',
  retryCanHelp: false,
};

/** The outcome of a sending by the given attempt of its activity, and how often it was sent. */
async function sentBy(
  attempt: number,
  outcome: ProviderOutcome,
  repetition?: Parameters<typeof sendValue>[1],
) {
  let sendings = 0;
  const send = async () => {
    sendings += 1;
    return outcome;
  };
  return { outcome: await sendValue(send, repetition, { attempt }), sendings };
}

describe('sendValue', () => {
  it('sends, by the first attempt of its activity', async () => {
    for (const repetition of ['safe', 'later', 'never'] as const)
      expect(await sentBy(1, refused, repetition)).toEqual({ outcome: refused, sendings: 1 });
  });

  it('repeats what was cut off where the provider makes it once', async () => {
    expect(await sentBy(2, delivered)).toEqual({ outcome: delivered, sendings: 1 });
    expect(await sentBy(2, refused)).toMatchObject({ outcome: { kind: 'unknown' }, sendings: 1 });
  });

  it('does not repeat what was cut off where it could be made twice', async () => {
    for (const repetition of ['later', 'never'] as const)
      expect(await sentBy(2, delivered, repetition)).toMatchObject({
        outcome: { kind: 'unknown' },
        sendings: 0,
      });
  });
});

describe('onOwnClock', () => {
  it.each([
    ['right', 0],
    ['ten minutes ahead', -600_000],
    ['ten minutes behind', 600_000],
  ])('keeps the time since a sending, where the clock is %s', (_name, serverIsAheadMs) => {
    const askedMs = Date.now() + serverIsAheadMs;
    const sentAt = onOwnClock(askedMs - 5_000, { currentAttemptScheduledTimestampMs: askedMs });
    const sinceMs = Date.now() - sentAt.getTime();
    expect(sinceMs).toBeGreaterThanOrEqual(5_000);
    expect(sinceMs).toBeLessThan(60_000);
  });
});
