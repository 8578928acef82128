import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { type GiftScene, REDEEM, setGiftScene } from './gift/gift-scene.ts';

/** Each round trip costs CPU, and holds locks for longer. */
let scene: GiftScene;
beforeAll(async () => {
  // Nothing else asks the database meanwhile.
  const never = '86400';
  scene = await setGiftScene({
    ACCESS_CACHE_SECONDS: never,
    CALL_RECORD_INTERVAL_SECONDS: never,
    EVENT_NUMBERING_SECONDS: never,
    FENCE_CHECK_SECONDS: never,
    WEBHOOK_DISPATCH_SECONDS: never,
    WORKER_PICKUP_SECONDS: never,
  });
  // The first life fills the caches of companies and keys.
  await scene.redeemed(scene.asMerchant, await scene.gift());
  await untilConfirmed(1);
});
afterAll(() => scene?.stop());

/** Waits until the confirmations of so many redemptions are recorded. */
const untilConfirmed = (count: number) =>
  until(async () => {
    const confirmed = await scene.stack.database
      .selectFrom('messages')
      .select('id')
      .where('kind', '=', 'REDEMPTION_CONFIRMATION')
      .where('status', '=', 'SENT')
      .execute();
    expect(confirmed).toHaveLength(count);
  });

const ofService = (client: unknown): boolean =>
  client instanceof pg.Client && (client.user === 'test_api' || client.user === 'test_worker');

/**
 * The statements that API and worker send for a piece of work, transactions among them, and their round trips: a
 * connection is drained once everything that it sent is answered.
 */
async function sentBy<Result>(work: () => Promise<Result>) {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const emit = vi.spyOn(pg.Client.prototype, 'emit');
  try {
    const result = await work();
    const texts = query.mock.calls.flatMap(([first], index) => {
      const statement: unknown = first;
      const { text } = typeof statement === 'string' ? { text: statement } : Object(statement);
      return ofService(query.mock.contexts[index]) ? [String(text)] : [];
    });
    const drained = emit.mock.calls.filter(
      ([event], index) => String(event) === 'drain' && ofService(emit.mock.contexts[index]),
    );
    return {
      result,
      statements: texts.length,
      begun: texts.filter((text) => text === 'begin').length,
      roundTrips: drained.length,
    };
  } finally {
    query.mockRestore();
    emit.mockRestore();
  }
}

test('a life of a voucher needs no more statements and round trips', async () => {
  const generated = await sentBy(() => scene.gift());
  expect.soft(generated).toMatchObject({ statements: 3, begun: 0, roundTrips: 3 });
  const claimed = await sentBy(() => scene.claimed(scene.asMerchant, generated.result));
  expect.soft(claimed).toMatchObject({ statements: 15, begun: 1, roundTrips: 11 });
  const redeemed = await sentBy(async () => {
    const { voucherCode } = generated.result;
    await scene.asMerchant.post(REDEEM, { voucherCode, verificationCode: claimed.result });
    await untilConfirmed(2);
  });
  expect.soft(redeemed).toMatchObject({ statements: 24, begun: 2, roundTrips: 16 });
});
