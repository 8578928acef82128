import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Outbox, OutboxSender } from '../../../../activities/outbox/outbox.ts';
import { createLogger } from '../../../../src/runtime/process/logger.ts';
import { startOutbox } from '../../../../src/runtime/worker/background/outbox.ts';
import { until } from '../../../support/until.ts';

const logger = createLogger('silent', 'test');
const warn = vi.spyOn(logger, 'warn');
let stop: () => Promise<void> = async () => {};
afterEach(() => stop());

const senderOf = (kind: string, send: OutboxSender['send']) =>
  ({ kind, channel: 'EMAIL', send }) as OutboxSender;

/** An outbox in which these senders have messages at every look. */
function start(due: readonly OutboxSender[], options: { readonly isFenced?: boolean } = {}) {
  const findDue = vi.fn(async () => [...due]);
  const outbox: Outbox = { senders: due, findDue };
  const isFenced = vi.fn(() => options.isFenced ?? false);
  const started = startOutbox({ outbox, isFenced, logger, intervalMs: 1 });
  stop = () => started.stop();
  return { findDue, isFenced };
}

test('one look serves all senders', async () => {
  const [first, second] = [vi.fn(async () => {}), vi.fn(async () => {})];
  const { findDue } = start([senderOf('statements', first), senderOf('day-reports', second)]);
  await until(() => expect(first.mock.calls.length).toBeGreaterThan(2));
  await stop();
  expect(findDue.mock.calls.length).toBeGreaterThanOrEqual(first.mock.calls.length);
  expect(second.mock.calls.length).toBe(first.mock.calls.length);
});

test('a sender that is at work delays none of the others, and a stop waits for it', async () => {
  let end = () => {};
  const slow = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const quick = vi.fn(async () => {});
  start([senderOf('statements', slow), senderOf('day-reports', quick)]);
  await until(() => expect(quick.mock.calls.length).toBeGreaterThan(2));
  expect(slow).toHaveBeenCalledOnce();
  const stopped = stop().then(() => 'stopped');
  expect(await Promise.race([stopped, sleep(20, 'waits')])).toBe('waits');
  end();
  expect(await stopped).toBe('stopped');
});

test('of consecutive failures of a sender the first one is logged', async () => {
  const failing = vi.fn(() => Promise.reject(new Error('broken')));
  start([senderOf('statements', failing)]);
  await until(() => expect(failing.mock.calls.length).toBeGreaterThan(2));
  await stop();
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'Could not send statements');
});

test('behind the fence of a restored database nothing is looked for', async () => {
  const { findDue, isFenced } = start([], { isFenced: true });
  await until(() => expect(isFenced.mock.calls.length).toBeGreaterThan(2));
  expect(findDue).not.toHaveBeenCalled();
});
