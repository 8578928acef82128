import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workflowTiming } from '../../src/runtime/temporal/workflow-timing.ts';
import { setTopupScene, type TopupScene } from '../end-to-end/topups/topup-scene.ts';
import { breakStatement } from '../support/database-faults.ts';
import { until } from '../support/until.ts';

const MAXIMUM_NUDGES = 5;
const FLOOD = 12;
/** Of a signal: itself, and the three of a workflow task. */
const EVENTS_PER_SIGNAL = 4;
/** What test/workflows/lengthen-pause.unit.test.ts reckons with. */
const EVENTS_PER_ATTEMPT = 30;

/** However many nudges a workflow gets, its history stays bounded. */
let scene: TopupScene;
beforeAll(async () => {
  scene = await setTopupScene({
    NUDGES_PER_WORKFLOW: String(MAXIMUM_NUDGES),
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '3600',
  });
});
afterAll(() => scene?.stack.stop());

/** The length of a history; the pauses that ended early; whether a pause and the alarm of a workflow run. */
async function look(handle: WorkflowHandle) {
  const events = (await handle.fetchHistory()).events ?? [];
  const count = (attributes: string) =>
    events.filter((event) => event[attributes as keyof typeof event]).length;
  const ended = count('timerCanceledEventAttributes');
  const { alarmAfterMs } = workflowTiming(scene.stack.config);
  // The alarm of an unknown outcome ends early, too, as soon as the outcome is known.
  const alarmsEnded = events.filter(
    ({ timerStartedEventAttributes: alarm, eventId }) =>
      Number(alarm?.startToFireTimeout?.seconds) * 1_000 === alarmAfterMs &&
      events.some(
        ({ timerCanceledEventAttributes: end }) => eventId && end?.startedEventId?.eq(eventId),
      ),
  ).length;
  const last = events.at(-1);
  const pending = count('timerStartedEventAttributes') - ended - count('timerFiredEventAttributes');
  return {
    events: events.length,
    signals: count('workflowExecutionSignaledEventAttributes'),
    followed: ended - alarmsEnded,
    waits:
      pending === 2 &&
      !last?.workflowTaskScheduledEventAttributes &&
      !last?.workflowTaskStartedEventAttributes,
  };
}

const untilWaiting = (handle: WorkflowHandle, signals: number) =>
  until(async () => {
    const seen = await look(handle);
    expect(seen).toMatchObject({ waits: true });
    expect(seen.signals).toBeGreaterThanOrEqual(signals);
    return seen;
  });

/** Gives nudges one after the other, each when the workflow has dealt with the one before. */
async function flood(handle: WorkflowHandle): Promise<void> {
  const before = await untilWaiting(handle, 0);
  let after = before;
  for (let nudges = 0; nudges < FLOOD; nudges += 1) {
    await handle.signal('providerNudge');
    after = await untilWaiting(handle, after.signals + 1);
  }
  const followed = after.followed - before.followed;
  expect(followed).toBeGreaterThan(0);
  expect(after.followed).toBeLessThanOrEqual(MAXIMUM_NUDGES);
  const ofAttempts = after.events - before.events - FLOOD * EVENTS_PER_SIGNAL;
  expect(ofAttempts / followed, 'events of an attempt').toBeLessThan(EVENTS_PER_ATTEMPT);
}

test('inquiries about an unknown top-up', async () => {
  const id = await scene.openTopup();
  await flood(await scene.workflowOf(id));
  await scene.settle(id, 'completed');
});

test('bookings that the database refuses after the provider has delivered', async () => {
  const id = await scene.openTopup();
  const handle = await scene.workflowOf(id);
  await untilWaiting(handle, 0);
  const mend = await breakStatement(scene.stack.database, {
    table: 'topup_attempts',
    on: 'update',
    when: `new.topup_id = ${id} and new.status = 'POSTED'`,
  });
  await scene.settle(id, 'completed');
  await handle.signal('providerNudge');
  await untilWaiting(handle, 1);
  await flood(handle);
  await mend();
});
