import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../support/clients.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { stoppedAt, untilBlocked } from '../../support/database-locks.ts';
import { until } from '../../support/until.ts';
import { CLAIM, done, type Gift, REDEEM, repeated } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';

/**
 * Faults of the database that pass (F3, F10): a transaction that they end is tried again while its
 * caller waits. And faults between a payment and its booking: the payment is booked in the end.
 */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '6' });
});
afterAll(() => scene?.stop());

/** Lets what waits for a lock in this database meet its end; as a time limit or a crash does. */
const end = (how: 'cancel' | 'terminate') =>
  sql`select ${sql.raw(`pg_${how}_backend`)}(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(scene.stack.database);

/** An answer after which the same request is to be sent again; 5031 is a result. */
const isOpen = ({ status, body }: Answer) =>
  [409, 503].includes(status) && body.statusCode !== 5031;

const redemption = ({ voucherCode }: Gift) => {
  const body = { voucherCode, amount: 40, idempotencyKey: randomUUID() };
  return () => scene.asMerchant.post(REDEEM, body);
};

async function expectRedeemedOnce(gift: Gift): Promise<void> {
  expect(await scene.transfersOf(gift)).toEqual([
    'hold 41.00',
    'post-payment 40.00',
    'post-service-fee 1.00',
  ]);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '59.000000' });
}

describe.each(['cancel', 'terminate'] as const)('a statement that meets %s', (how) => {
  test('in the transaction is tried again', async () => {
    const gift = await scene.gift({ owner: null });
    const send = redemption(gift);
    const { answer } = await scene.stack.database.transaction().execute(async (transaction) => {
      await sql`select from vouchers where id = ${gift.id} for update`.execute(transaction);
      const sent = send();
      await untilBlocked(scene.stack.database);
      await end(how);
      await untilBlocked(scene.stack.database);
      return { answer: sent };
    });
    await answer;
    done(await repeated(send, isOpen));
    await expectRedeemedOnce(gift);
  });

  test('before anything was begun is answered 503; the same request is carried out then', async () => {
    const gift = await scene.gift({ owner: null });
    const send = redemption(gift);
    const before = await scene.holdings();
    const { database } = scene.stack;
    let isAnswered = false;
    const sent = () => send().finally(() => (isAnswered = true));
    // What waits first may be work in the background.
    const untilAnswered = () =>
      until(async () => {
        if (!isAnswered) await end(how);
        expect(isAnswered).toBe(true);
      });
    const [answer] = await stoppedAt(database, 'vouchers', [sent], untilAnswered);
    expect(answer?.body).toMatchObject({ success: false, statusCode: 503, data: null });
    expect(answer?.headers.get('Retry-After')).toBe('1');
    expect(await scene.holdings()).toEqual(before);
    done(await repeated(send, isOpen));
    await expectRedeemedOnce(gift);
  });
});

test('a deadlock is resolved, and the redemption made once', async () => {
  const gift = await scene.gift({ owner: null });
  const send = redemption(gift);
  const { database } = scene.stack;
  let answer: Promise<Answer> | undefined;
  const other = database.transaction().execute(async (transaction) => {
    await sql`select from ledger_accounts where partner_id = ${gift.partner.id}
      order by id for no key update`.execute(transaction);
    answer = send();
    await untilBlocked(database);
    // The redemption has the voucher and waits for the balance; this waits for the voucher.
    await sql`select from vouchers where id = ${gift.id} for update`.execute(transaction);
  });
  // PostgreSQL chooses whom it ends.
  await other.catch((error) => expect(error.code).toBe('40P01'));
  await answer;
  done(await repeated(send, isOpen));
  await expectRedeemedOnce(gift);
});

test('a claim whose transaction is cut off sends one code', async () => {
  const gift = await scene.gift();
  const body = { voucherCode: gift.voucherCode, idempotencyKey: randomUUID() };
  const send = () => scene.asMerchant.post(CLAIM, body);
  const { answer } = await scene.stack.database.transaction().execute(async (transaction) => {
    await sql`select from vouchers where id = ${gift.id} for update`.execute(transaction);
    const sent = send();
    await untilBlocked(scene.stack.database);
    await end('terminate');
    return { answer: sent };
  });
  await answer;
  done(await repeated(send, isOpen));
  expect(scene.stack.sandbox.books.messages(gift.owner ?? '')).toHaveLength(1);
});

test('a payment that was refused while its booking fails stays on hold until it is booked', async () => {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '006' });
  const gift = await scene.gift({ merchant, owner: null });
  const { voucherCode } = gift;
  const request = { voucherCode, amount: 40, idempotencyKey: randomUUID() };
  const send = () => client.post(REDEEM, request);
  const mend = await breakStatement(scene.stack.database, {
    table: 'redemptions',
    on: 'update',
    when: "new.status = 'VOIDED'",
  });
  const first = await send();
  expect(first.body.statusCode).toBe(4092);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_PROCESSING' });
  expect(await scene.transfersOf(gift)).toEqual(['hold 41.00']);
  await mend();
  const last = await repeated(send, isOpen);
  expect(last.body.statusCode).toBe(5031);
  expect((await send()).body).toEqual(last.body);
  expect(scene.amountsPaidTo(merchant)).toEqual([]);
  expect(await scene.transfersOf(gift)).toEqual(['hold 41.00', 'void 41.00']);
});
