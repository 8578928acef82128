import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/local/processes.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import type { Answer } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { done, GENERATE, REDEEM, repeated } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';
import { mayMount, type SmallDisk, startOnSmallDisk } from './small-disk.ts';

/**
 * The file system of PostgreSQL is full: of its data, so that it refuses what would make a table longer; or of
 * its log, so that it ends, and can be started again only once there is room. Callers are told to come back,
 * and the same requests succeed then, each once. It needs a user who may mount a file system.
 */
let disk: SmallDisk;
let scene: RedemptionScene;
afterEach(async () => {
  await scene?.stop();
  await disk?.remove();
});

async function setScene(contents: Parameters<typeof startOnSmallDisk>[0]): Promise<void> {
  disk = await startOnSmallDisk(contents);
  scene = await setRedemptionScene({
    DATABASE_URL: disk.url,
    PORT: String(await freePort()),
    CALLER_WAIT_SECONDS: '3',
  });
}

/** Requests for vouchers, each with its key: sent until the database has refused some. */
const requestVoucher = (): (() => Promise<Answer>) => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = {
    denominationId: scene.partner.denominations[100],
    merchantId: scene.merchant.id,
    msisdn: null,
  };
  return () => scene.asPartner.post(GENERATE, body, headers);
};

const isOpen = ({ status }: Answer) => [409, 429, 503].includes(status);

const countVouchers = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from vouchers`.execute(
    scene.stack.database,
  );
  return Number(rows[0]?.count);
};

/** The same requests, and one that was never answered, succeed once each. */
async function everythingGoesOn(
  sent: readonly (() => Promise<Answer>)[],
  redeem: () => Promise<Answer>,
  before: number,
): Promise<void> {
  for (const send of sent) done(await repeated(send, isOpen));
  done(await repeated(redeem, isOpen));
  expect(await countVouchers()).toBe(before + sent.length);
  const { rows } = await sql`select from redemptions`.execute(scene.stack.database);
  expect(rows).toHaveLength(1);
  expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
}

async function redemption(): Promise<() => Promise<Answer>> {
  const gift = await scene.gift({ owner: null });
  const body = { voucherCode: gift.voucherCode, amount: 40, idempotencyKey: randomUUID() };
  return () => scene.asPartner.post(REDEEM, body);
}

describe.skipIf(!mayMount())('a full file system, which only a user who may mount can make', () => {
  test('of the data: writes are refused with 503, reads go on, and all is right once there is room', async () => {
    await setScene('data');
    const redeem = await redemption();
    const before = await countVouchers();
    await disk.fill();
    const sent: (() => Promise<Answer>)[] = [];
    const refused: Answer[] = [];
    while (refused.length < 3 && sent.length < 2_000) {
      const send = requestVoucher();
      sent.push(send);
      const answer = await send();
      if (answer.status !== 200) refused.push(answer);
    }
    expect(refused).toHaveLength(3);
    for (const { status, body } of refused) {
      expect([409, 503]).toContain(status);
      expect(body).toMatchObject({ success: false });
    }
    expect((await scene.asPartner.get('/info/get-current-balance')).status).toBe(200);
    await disk.makeRoom();
    await everythingGoesOn(sent, redeem, before);
  });

  test('of the log: PostgreSQL ends, loses nothing, and the service goes on when it is started again', async () => {
    await setScene('data and log');
    const redeem = await redemption();
    const before = await countVouchers();
    const acknowledged = requestVoucher();
    done(await acknowledged());
    await disk.fill();
    const sent = [acknowledged];
    // The next file of the log does not fit.
    await until(async () => {
      await sql`select pg_switch_wal()`.execute(scene.stack.database).catch(() => undefined);
      const send = requestVoucher();
      sent.push(send);
      expect((await send()).status).not.toBe(200);
    });
    await until(async () => expect(await disk.isUp()).toBe(false));
    expect(isOpen(await redeem())).toBe(true);
    await disk.makeRoom();
    if (!(await disk.isUp())) await disk.start();
    await everythingGoesOn(sent, redeem, before);
  });
});
