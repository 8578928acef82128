import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProviderGuard, type GuardSettings } from '../../../src/providers/guard.ts';
import { callHttp, readOrLookUp, tooManyRequests } from '../../../src/providers/http-call.ts';
import { type ProviderOutcome, unknown } from '../../../src/providers/outcome.ts';
import { createFairSemaphore } from '../../../src/runtime/process/fair-semaphore.ts';
import { until } from '../../support/until.ts';

let status = 200;
const server = createServer((_, answer) => answer.writeHead(status).end('{}'));
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const settings: Omit<GuardSettings, 'places'> = {
  deadlineMs: 20_000,
  breakerCalls: 4,
  breakerMs: 60_000,
};
const notSent = (message: string): ProviderOutcome => ({ kind: 'not-sent', message });
const refused: ProviderOutcome = { kind: 'refused', code: '1', message: 'no', retryCanHelp: false };

/** A guard, and a call behind it. */
function guarded(changes: Partial<GuardSettings> = {}) {
  const states: string[] = [];
  const places = createFairSemaphore({ places: 2, placesPerOwner: 2, waitMs: 20 });
  const guard = createProviderGuard({ ...settings, places, ...changes }, (state) =>
    states.push(state),
  );
  const run = (make: () => Promise<ProviderOutcome>) => guard.run(make, notSent, unknown);
  return { guard, states, run };
}

/** A call over HTTP whose outcome is unknown, whatever the answer. */
async function pending(): Promise<ProviderOutcome> {
  const deadline = AbortSignal.timeout(20_000);
  const answer = await callHttp({ method: 'GET', url, headers: {}, deadline });
  return answer.kind === 'answered' ? unknown(`HTTP status ${answer.status}`) : answer;
}

const times = async (count: number, run: () => Promise<unknown>) => {
  for (let time = 0; time < count; time += 1) await run();
};

describe('the circuit breaker', () => {
  /** Lets the time of an open breaker pass. */
  const breakerTime = () => vi.advanceTimersByTime(settings.breakerMs);
  afterEach(() => vi.useRealTimers());

  it('opens by answers of status 5xx, and not by a provider that has not finished yet', async () => {
    const { guard, run } = guarded();
    status = 202;
    await times(8, () => run(pending));
    expect(guard.readState()).toBe('closed');
    status = 503;
    await times(3, () => run(pending));
    expect(guard.readState()).toBe('open');
    const make = vi.fn(pending);
    expect(await run(make)).toMatchObject({
      kind: 'not-sent',
      message: expect.stringContaining('circuit breaker'),
    });
    expect(make).not.toHaveBeenCalled();
  });

  it('opens by a 401 of a gateway, whose outcome is unknown', async () => {
    const { guard, run } = guarded();
    const answer = { kind: 'answered', status: 401, body: 'no' } as const;
    const find = () => Promise.reject(new Error('Nothing is looked up'));
    await times(4, () => run(() => readOrLookUp(answer, () => unknown('HTTP status 401.'), find)));
    expect(guard.readState()).toBe('open');
  });

  it('opens by what was not sent, and never by refusals', async () => {
    const { guard, run } = guarded();
    await times(20, () => run(async () => refused));
    expect(guard.readState()).toBe('closed');
    await times(4, () => run(async () => notSent('no connection')));
    expect(guard.readState()).toBe('open');
  });

  it('never opens by a provider that asks for fewer calls', async () => {
    const { guard, run } = guarded();
    const answer = { kind: 'answered', status: 429, body: '' } as const;
    await times(20, () => run(async () => tooManyRequests(answer)));
    expect(guard.readState()).toBe('closed');
  });

  it('lets one call try after its time, which closes it or opens it again', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { guard, states, run } = guarded();
    await times(4, () => run(async () => notSent('no connection')));
    expect(guard.readState()).toBe('open');
    breakerTime();
    expect(guard.readState()).toBe('half-open');
    await run(async () => notSent('still none'));
    expect(guard.readState()).toBe('open');
    breakerTime();
    expect(guard.readState()).toBe('half-open');
    await run(async () => refused);
    expect(guard.readState()).toBe('closed');
    expect(states).toEqual(['open', 'half-open', 'open', 'half-open', 'closed']);
  });

  it('keeps nobody waiting for the call that tries', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { guard, run } = guarded();
    await times(4, () => run(async () => notSent('no connection')));
    expect(guard.isAvailable()).toBe(false);
    breakerTime();
    expect(guard.isAvailable()).toBe(true);
    const ends: (() => void)[] = [];
    const hanging = vi.fn(
      () => new Promise<ProviderOutcome>((resolve) => ends.push(() => resolve(refused))),
    );
    const broken = { kind: 'not-sent', message: expect.stringContaining('circuit breaker') };
    const [trying, atOnce] = [run(hanging), run(hanging)];
    expect(await atOnce).toMatchObject(broken);
    expect(guard.isAvailable()).toBe(false);
    expect(await run(hanging)).toMatchObject(broken);
    expect(hanging).toHaveBeenCalledTimes(1);
    for (const end of ends) end();
    expect(await trying).toEqual(refused);
    expect(guard.isAvailable()).toBe(true);
  });
});

it('a call beyond the concurrent ones is not sent', async () => {
  const { run } = guarded();
  const ends: (() => void)[] = [];
  const hanging = () =>
    new Promise<ProviderOutcome>((resolve) => ends.push(() => resolve(refused)));
  const first = [run(hanging), run(hanging)];
  expect(await run(hanging)).toMatchObject({
    kind: 'not-sent',
    message: expect.stringContaining('too many calls'),
  });
  for (const end of ends) end();
  expect(await Promise.all(first)).toEqual([refused, refused]);
});

/** Calls that end when they are told to. */
function openCalls() {
  const ends: (() => void)[] = [];
  const make = vi.fn(
    () => new Promise<ProviderOutcome>((resolve) => ends.push(() => resolve(refused))),
  );
  return { make, end: (place: number) => ends[place]?.() };
}
const full = { kind: 'not-sent', message: expect.stringContaining('too many calls') };

it('while no call ends, one waits in vain for a place, and the next ones are not kept waiting', async () => {
  const { guard, run } = guarded();
  const { make, end } = openCalls();
  const open = [run(make), run(make)];
  expect(guard.isAvailable()).toBe(true);
  expect(await run(make)).toMatchObject(full);
  expect(guard.isAvailable()).toBe(false);
  const waited = run(make).then(() => 'waited');
  expect(await Promise.race([waited, sleep(0, 'at once')])).toBe('waited');
  end(0);
  await open[0];
  expect(guard.isAvailable()).toBe(true);
  expect(await run(async () => refused)).toEqual(refused);
  end(1);
  await open[1];
  expect(make).toHaveBeenCalledTimes(2);
});

it('a provider that is slow, and ends calls, keeps the next ones waiting for their turn', async () => {
  const { guard, run } = guarded({
    places: createFairSemaphore({ places: 2, placesPerOwner: 2, waitMs: 1_000 }),
  });
  const { make, end } = openCalls();
  const open = [run(make), run(make)];
  await until(() => expect(make).toHaveBeenCalledTimes(2));
  const [next, inVain] = [run(make), run(make)];
  end(0);
  await until(() => expect(make).toHaveBeenCalledTimes(3));
  expect(await inVain).toMatchObject(full);
  expect(guard.isAvailable()).toBe(true);
  const later = run(make);
  end(1);
  await until(() => expect(make).toHaveBeenCalledTimes(4));
  end(2);
  end(3);
  expect(await Promise.all([...open, next, later])).toEqual([refused, refused, refused, refused]);
});

it('a call that never ends is unknown at the deadline, and counts as a fault', async () => {
  const { guard, run } = guarded({ deadlineMs: 20 });
  const never = () => sleep(60_000, refused, { ref: false });
  for (let time = 0; time < 2; time += 1)
    expect(await run(never)).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('in time'),
    });
  expect(guard.readState()).toBe('open');
});
