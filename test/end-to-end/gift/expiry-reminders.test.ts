import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { takeLeftMessages } from '../../../src/db/messages/abandoned-messages.ts';
import { makePartner } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { type Gift, type GiftScene, newOwner, setGiftScene } from './gift-scene.ts';

/** Owners are told by SMS that their vouchers expire soon: once for a voucher, once a day for a number. */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene({
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    EXPIRY_REMINDER_DAYS: '7',
    EXPIRY_REMINDER_HOURS: '0-24',
  });
});
afterAll(() => scene?.stop());
beforeEach(async () => {
  // What other tests left is not told of.
  await sql`update vouchers set reminded_at = now() where reminded_at is null`.execute(
    scene.stack.database,
  );
});

async function runExpiry() {
  const handle = await scene.stack.temporal.client.workflow.start('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });
  return (await ended(scene.stack, handle.workflowId)) as Record<string, number>;
}

const makeDue = () =>
  sql`update messages set due_at = now() where settled_at is null`.execute(scene.stack.database);

/** An expiry run, a minute before the outbox sends what it has queued. */
async function runExpiryBefore() {
  const { queuedReminders } = await runExpiry();
  await makeDue();
  return queuedReminders;
}

const receivedBy = ({ owner }: Gift): string[] =>
  scene.stack.sandbox.books.messages(owner ?? '').map(({ text }) => text);

const untilReceived = (gift: Gift, count: number) =>
  until(() => expect(receivedBy(gift)).toHaveLength(count));

/** A voucher that was generated long ago. */
async function oldGift(options: Parameters<GiftScene['gift']>[0] = {}): Promise<Gift> {
  const gift = await scene.gift({ owner: newOwner('000'), ...options });
  await sql`update vouchers set created_at = now() - interval '300 days' where id = ${gift.id}`.execute(
    scene.stack.database,
  );
  return gift;
}

test('an owner is told once, with what remains, the place and the day', async () => {
  const gift = await oldGift();
  const later = await oldGift();
  const partner = await makePartner(scene.stack);
  const [fresh, anonymous, cancelled, suspended] = [
    await scene.gift({ owner: newOwner('000') }),
    await oldGift({ owner: null }),
    await oldGift(),
    await oldGift({ partner }),
  ];
  for (const due of [gift, fresh, anonymous, cancelled, suspended]) await scene.expire(due, 5);
  await scene.expire(later, 9);
  await scene.cancel(cancelled);
  await scene.stack.database
    .updateTable('partners')
    .set({ status: 'SUSPENDED' })
    .where('id', '=', partner.id)
    .execute();

  // The new voucher is dealt with, too, without a message.
  expect(await runExpiryBefore()).toBe(2);
  await untilReceived(gift, 1);
  expect(receivedBy(gift)[0]).toMatch(
    /^Your gift voucher of ETB 100\.00 at Test Merchant expires on \d{1,2} \w{3,4} \d{4}\. Use it before then\.$/,
  );
  expect(await runExpiryBefore()).toBe(0);
  expect(receivedBy(gift)).toHaveLength(1);
  // Nobody is told of a voucher that is new, anonymous, ended, or of a suspended partner.
  for (const other of [later, fresh, anonymous, cancelled, suspended])
    expect(receivedBy(other)).toEqual([]);
});

test('a number is told of one voucher a day, and of the next one on the next day', async () => {
  const owner = newOwner('000');
  const gifts = [await oldGift({ owner }), await oldGift({ owner })] as const;
  for (const gift of gifts) await scene.expire(gift, 3);
  expect(await runExpiryBefore()).toBe(1);
  await untilReceived(gifts[0], 1);
  expect(await runExpiryBefore()).toBe(0);
  await sql`update messages set created_at = created_at - interval '1 day' where ${isNumber(scene.stack, 'msisdn', owner)}`.execute(
    scene.stack.database,
  );
  expect(await runExpiryBefore()).toBe(1);
  await untilReceived(gifts[0], 2);
});

const reminderOf = async ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('messages')
    .innerJoin('vouchers', 'vouchers.id', 'voucher_id')
    .select(['messages.id', 'messages.status', 'provider_message', 'due_at'])
    .where('voucher_id', '=', id)
    .executeTakeFirstOrThrow();

/** It waits for its pause, longer than half a minute. */
const inAMinute = expect.toSatisfy((at: Date) => at.getTime() > Date.now() + 30_000);

test('a reminder that the provider does not take is tried again each minute, for a day', async () => {
  const gifts = [await oldGift(), await oldGift()] as const;
  const [gift, late] = gifts;
  for (const due of gifts) await scene.expire(due, 5);
  const { database, sandbox } = scene.stack;
  const usual = sandbox.faults.of('africas-talking');
  sandbox.faults.set('africas-talking', { ...usual, answers: 'not-authorised' });
  expect(await runExpiryBefore()).toBe(2);
  for (const due of gifts)
    await until(async () => {
      expect(await reminderOf(due)).toMatchObject({
        status: 'QUEUED',
        provider_message: 'The API key was not accepted.',
        due_at: inAMinute,
      });
    });
  const { id } = await reminderOf(gift);
  const dueWithin = (from: number, until: number) =>
    database.transaction().execute(async (transaction) => {
      await sql`update messages set due_at = now() where id = ${id}`.execute(transaction);
      const hours = { expiryReminderHours: [from, until], marketTimeZone: 'UTC' } as const;
      return takeLeftMessages(transaction, 20, hours, 60);
    });
  expect([await dueWithin(0, 24), await dueWithin(0, 0)]).toEqual([[id], []]);

  await sql`update messages set created_at = created_at - interval '1 day'
    where voucher_id = ${late.id}`.execute(database);
  sandbox.faults.set('africas-talking', usual);
  await makeDue();
  await untilReceived(gift, 1);
  await until(async () => {
    expect(await reminderOf(late)).toMatchObject({
      status: 'CANCELLED',
      provider_message: 'Given up: too old to be sent',
    });
  });
  expect(receivedBy(late)).toEqual([]);
});

test('a voucher that ends before its message is sent has none', async () => {
  const gift = await oldGift();
  await scene.expire(gift, 5);
  expect((await runExpiry()).queuedReminders).toBe(1);
  await scene.cancel(gift);
  await makeDue();
  await until(async () => {
    expect(await reminderOf(gift)).toMatchObject({
      status: 'CANCELLED',
      provider_message: 'the message would be of no use any more',
    });
  });
  expect(receivedBy(gift)).toEqual([]);
});
