import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, call } from '../../support/clients.ts';
import { untilBlocked } from '../../support/database-locks.ts';
import { until } from '../../support/until.ts';
import { GENERATE } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { type Balancer, startBalancer } from '../processes/balancer.ts';

const CALLERS = 24;
const POOL_SIZE = 4;
/** A quarter of the API's connections is for lists. */
const REQUEST_CONNECTIONS = 3;

let scene: RedemptionScene;
let balancer: Balancer;
beforeAll(async () => {
  scene = await setRedemptionScene({
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    CALLER_WAIT_SECONDS: '2',
  });
  balancer = await startBalancer([scene.stack.api.port]);
});
afterAll(async () => {
  await balancer?.stop();
  await scene?.stop();
});

const balance = () => scene.asPartner.get('/info/get-current-balance');

/** While the ledger is locked, every statement on it keeps its connection. */
const withLockedLedger = <Result>(work: () => Promise<Result>) =>
  scene.stack.database.transaction().execute(async (transaction) => {
    await sql`lock table ledger_accounts in access exclusive mode`.execute(transaction);
    return work();
  });

/** The API stays in rotation: its health has a connection for itself. */
async function expectReady(): Promise<void> {
  const { port } = scene.stack.api;
  for (let looks = 0; looks < 3; looks += 1) {
    const { status, body } = await call(`${scene.stack.url}/health/ready`);
    expect(body).toMatchObject({ checks: { database: { status: 'up' } } });
    expect(status).toBe(200);
    expect(balancer.isReady(port)).toBe(true);
    // A look is shared for a second.
    await until(async () => {
      const { checks } = (await call(`${scene.stack.url}/health/ready`)).body;
      expect(checks).not.toEqual(body.checks);
    });
  }
}

test('with all connections in use, callers get 503 with Retry-After, and all goes on afterwards', async () => {
  const gift = await scene.gift();
  await until(() => expect(balancer.isReady(scene.stack.api.port)).toBe(true));

  // Every connection of the API waits for this lock; the others wait for a connection.
  const { calls, refused } = await withLockedLedger(async () => {
    const calls = Array.from({ length: CALLERS }, balance);
    await untilBlocked(scene.stack.database, REQUEST_CONNECTIONS);
    await expectReady();
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
});

test('generations and redemptions that meet a full pool of the worker happen once', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gifts = [];
  for (let count = 0; count < 6; count += 1)
    gifts.push(await scene.gift({ merchant, owner: null }));
  const vouchers = await countVouchers();
  const generate = (key: string) => () =>
    scene.asPartner.post(
      GENERATE,
      {
        denominationId: scene.partner.denominations[100],
        merchantId: merchant.id,
        msisdn: null,
      },
      { 'Idempotency-Key': key },
    );
  const sends = [
    ...gifts.map((gift) => {
      const idempotencyKey = randomUUID();
      return () => redeem(client, gift, { idempotencyKey });
    }),
    ...Array.from({ length: 6 }, () => generate(randomUUID())),
  ];
  const first = await withLockedLedger(async () => {
    const calls = sends.map((send) => send());
    await untilBlocked(scene.stack.database, POOL_SIZE);
    await expectReady();
    return Promise.all(calls);
  });
  // Nothing is told to be done: the work is accepted, or refused before any hold.
  for (const { body } of first) expect([202, 409, 503, 4092, 5004]).toContain(body.statusCode);

  for (const send of sends)
    await until(async () => expect((await send()).body.statusCode).toBe(200));
  expect(await countVouchers()).toBe(vouchers + 6);
  for (const gift of gifts) expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' });
  expect(scene.amountsPaidTo(merchant)).toEqual(Array(6).fill('97.50 completed'));
});

async function countVouchers(): Promise<number> {
  const { count } = await scene.stack.database
    .selectFrom('vouchers')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function expectUnavailable({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers.get('Retry-After')).toBe('1');
  expect(body).toMatchObject({ success: false, statusCode: 503 });
}
