import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Answer } from '../../support/clients.js';
import { setRedemptionScene } from '../gift/redemption-scene.js';

const CALLERS = 24;

test('with all connections in use, callers get 503 with Retry-After, and all goes on afterwards', async () => {
  const scene = await setRedemptionScene({ DATABASE_POOL_SIZE: '4' });
  const { database } = scene.stack;
  const balance = () => scene.asPartner.get('/info/get-current-balance');
  const gift = await scene.gift();

  // Every connection of the API waits for this lock; the others wait for a connection.
  const { calls, refused } = await database.transaction().execute(async (transaction) => {
    await sql`lock table ledger_accounts in access exclusive mode`.execute(transaction);
    const calls = Array.from({ length: CALLERS }, balance);
    const refused = await Promise.race(calls);
    return { calls, refused };
  });
  expectUnavailable(refused);
  const answers = await Promise.all(calls);
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThan(0);
  for (const answer of answers) if (!served.includes(answer)) expectUnavailable(answer);

  // No connection was lost to a caller that gave up.
  expect(
    (await Promise.all(Array.from({ length: CALLERS }, balance))).map(({ status }) => status),
  ).toEqual(Array(CALLERS).fill(200));
  await scene.redeemed(scene.asMerchant, gift);
  await scene.stop();
});

function expectUnavailable({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers.get('Retry-After')).toBe('1');
  expect(body).toMatchObject({ success: false, statusCode: 503 });
}
