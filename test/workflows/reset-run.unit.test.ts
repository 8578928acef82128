import { beforeEach, expect, test, vi } from 'vitest';
import { finalOutcome, type ProviderAttempt } from '../../workflows/steps/final-outcome.ts';

const run = {
  runId: 'reset',
  firstExecutionRunId: 'first',
  typedSearchAttributes: { get: () => undefined },
};
vi.mock('@temporalio/workflow', async (load) => ({
  ...(await load<object>()),
  condition: async () => false,
  sleep: async () => {},
  upsertSearchAttributes: () => {},
  workflowInfo: () => run,
}));
vi.mock('../../workflows/steps/waiting.ts', async (load) => ({
  ...(await load<object>()),
  startAlarm: () => ({ isDue: () => false, stop: () => {} }),
}));

beforeEach(() => {
  run.runId = 'reset';
});

const outcomes = {
  refused: { kind: 'refused', message: 'no money', code: '1' },
  'not-sent': { kind: 'not-sent', message: 'breaker' },
} as const;

/**
 * How an attempt ends whose sending ends so, and of which the provider says that it was made. By default the sending is
 * made now; a replay has the result of an earlier one.
 */
const ending = (sent: keyof typeof outcomes, replayed: { readonly isFirst?: boolean } = {}) =>
  finalOutcome({
    send: async (isFirst: boolean) => ({ ...outcomes[sent], isFirst, ...replayed }),
    inquire: async () => ({ kind: 'delivered', providerReference: 'MM1' }),
    whileUnknown: async () => {},
    possiblySent: false,
    takeNudge: () => false,
    timing: { inquiryIntervalMs: 1, alarmAfterMs: 1 },
  } as unknown as ProviderAttempt);

test.each(['refused', 'not-sent'] as const)(
  'what is %s in a run that was reset may have been sent before: an inquiry decides',
  async (sent) => {
    expect(await ending(sent)).toMatchObject({ kind: 'done', providerReference: 'MM1' });
    run.runId = 'first';
    expect(await ending(sent)).toMatchObject({ kind: 'not-done' });
  },
);

test.each(['refused', 'not-sent'] as const)(
  'what was %s before the reset is over in its replay, as it was then',
  async (sent) => {
    expect(await ending(sent, { isFirst: true })).toMatchObject({ kind: 'not-done' });
  },
);
