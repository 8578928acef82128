import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/db/connection.ts';
import { refuse } from '../../../src/domain/refusals.ts';
import { createRateLimits, createVoucherGuessLimit } from '../../../src/http/limits/rate-limits.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The look-ups of a company that may miss once an hour. */
function lookUps() {
  const [database, logger] = [{} as Database, createLogger('silent', 'test')];
  const settings = {
    rateLimitStore: 'memory',
    callsPerAddressAndMinute: 1,
    callsPerCompanyAndMinute: 1,
    keyMissesPerAddressAndHour: 1,
    keyMissesPerPrefixAndHour: 1,
    signatureDiagnosesPerMerchantAndMinute: 1,
    voucherMissesPerCompanyAndHour: 1,
    voucherMissesPerAddressAndHour: 1,
  } as const;
  const lookUp = createVoucherGuessLimit(createRateLimits({ settings, database, logger }))({
    company: { kind: 'partner', id: 17 },
    sourceAddress: '192.0.2.1',
  });
  return (run: () => Promise<unknown>) =>
    lookUp<unknown>({
      code: { canonical: 'code' },
      run,
      refusalOf: () => undefined,
      refused: (refusal) => refusal,
    });
}

it('look-ups wait for a unit at the same time, not for five seconds behind one another', async () => {
  const search = lookUps();
  const slow = Promise.withResolvers<string>();
  const first = search(() => slow.promise);
  const answers: unknown[] = [];
  for (let place = 0; place < 3; place += 1)
    void search(async () => 'found').then((answer) => answers.push(answer));
  await vi.advanceTimersByTimeAsync(4_900);
  expect(answers).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  const refused = refuse('too-many-requests', { retryAfterSeconds: 1 });
  expect(answers).toEqual([refused, refused, refused]);
  slow.resolve('found late');
  expect(await first).toBe('found late');
  expect(await search(async () => 'found')).toBe('found');
});
