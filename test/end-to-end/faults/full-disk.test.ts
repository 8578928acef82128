import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import type { Answer } from '../../support/clients.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { until } from '../../support/until.ts';
import { CLAIM, done, GENERATE, REDEEM, repeated } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';

/**
 * A database whose disk is full refuses what would make a table longer, and goes on reading. Callers are
 * told to come back, nothing is moved, and what was paid meanwhile is booked once there is room.
 */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '3' });
});
afterAll(() => scene?.stop());

/** Fills the disk for all tables that money and messages need; returns what makes room. */
async function fillDisk(code: string): Promise<() => Promise<void>> {
  const { rows } = await sql<{ table: string }>`select relname as table from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname not in ('kysely_migration', 'kysely_migration_lock')`.execute(
    scene.stack.database,
  );
  const mends: (() => Promise<void>)[] = [];
  for (const { table } of rows)
    mends.push(await breakStatement(scene.stack.database, { table, on: 'insert', code }));
  const makeRoom = async () => {
    for (const mend of mends.splice(0)) await mend();
  };
  onTestFinished(makeRoom);
  return makeRoom;
}

const isOpen = ({ status }: Answer) => [409, 503].includes(status);

describe('where no space is left (53100)', () => {
  test('callers get 503, nothing moves, reads go on, and the same requests succeed later', async () => {
    const [gift, claimed] = [await scene.gift({ owner: null }), await scene.gift()];
    const before = await scene.holdings();
    const requests = [
      [
        GENERATE,
        {
          denominationId: scene.partner.denominations[100],
          merchantId: scene.merchant.id,
          msisdn: null,
        },
      ],
      [REDEEM, { voucherCode: gift.voucherCode, amount: 40 }],
      [CLAIM, { voucherCode: claimed.voucherCode }],
    ].map(([path, body]) => {
      const idempotencyKey = randomUUID();
      const headers = { 'Idempotency-Key': idempotencyKey };
      return () =>
        scene.asPartner.post(path as string, { ...(body as object), idempotencyKey }, headers);
    });

    const makeRoom = await fillDisk('53100');
    for (const { status, body } of await Promise.all(requests.map((send) => send()))) {
      expect([409, 503]).toContain(status);
      expect(body).toMatchObject({ success: false });
    }
    expect((await scene.asPartner.get('/info/get-current-balance')).status).toBe(200);
    expect(await scene.holdings()).toEqual(before);

    await makeRoom();
    for (const send of requests) done(await repeated(send, isOpen));
    expect(await scene.transfersOf(gift)).toEqual([
      'hold 41.00',
      'post-payment 40.00',
      'post-service-fee 1.00',
    ]);
    expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
  });
});

describe('where files cannot be written (58030)', () => {
  test('a payment that the provider has made meanwhile is booked once there is room', async () => {
    const { merchant } = await scene.payee('partner', { payoutSuffix: '014' });
    const gift = await scene.gift({ owner: null, merchant });
    const body = { voucherCode: gift.voucherCode, amount: 40, idempotencyKey: randomUUID() };
    const send = () => scene.asPartner.post(REDEEM, body);
    expect(isOpen(await send())).toBe(true);
    const makeRoom = await fillDisk('58030');
    await scene.settlePayout(merchant, 'completed');
    expect(isOpen(await send())).toBe(true);
    expect(await scene.postedRedemptions(gift)).toEqual([]);
    await makeRoom();
    done(await repeated(send, isOpen));
    await until(async () => expect(await scene.postedRedemptions(gift)).toHaveLength(1));
    expect(scene.amountsPaidTo(merchant)).toEqual(['40.00 completed']);
    expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
  });
});
