import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Commands, commandsOn } from '../../admin/scene.ts';
import { deposit } from '../../support/companies.ts';
import { providerSettings } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { type Gift, newOwner } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { AIRTIME, sale } from '../topups/topup-scene.ts';

/** What was accepted before the fence, and was not sent yet, is sent when the fence is lifted. */
let scene: RedemptionScene;
let operator: Commands;
/** While true, every call to a provider fails before it is sent. */
let areCallsBroken = true;
beforeAll(async () => {
  scene = await setRedemptionScene(
    { MPESA_URL: undefined, FENCE_CHECK_SECONDS: '0.25', EXPIRY_REMINDER_HOURS: '0-24' },
    {
      failpoint(name) {
        if (areCallsBroken && /-(paying|sending)$/.test(name)) throw new Error('broken by a test');
        return undefined;
      },
    },
  );
  operator = commandsOn({
    ...providerSettings(scene.stack.sandbox),
    MPESA_URL: undefined,
    DATABASE_URL: scene.stack.urlFor('operator'),
  });
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '1000', 'airtime');
});
afterAll(() => scene?.stop());

/** The activities that are tried again and again. */
async function pending() {
  const { temporal, config } = scene.stack;
  const query = `TaskQueue = "${config.temporal.temporalTaskQueue}" and ExecutionStatus = "Running"`;
  const found = [];
  for await (const { workflowId } of temporal.client.workflow.list({ query })) {
    const { raw } = await temporal.client.workflow.getHandle(workflowId).describe();
    for (const { activityType, lastFailure, attempt } of raw.pendingActivities ?? [])
      found.push({
        name: String(activityType?.name),
        failure: lastFailure?.applicationFailureInfo?.type,
        attempt: attempt ?? 0,
      });
  }
  return found;
}

/** Why each of them failed last, by its name. */
const waiting = async () =>
  Object.fromEntries((await pending()).map(({ name, failure }) => [name, failure]));

const attempts = async () => (await pending()).reduce((sum, { attempt }) => sum + attempt, 0);

const sent = () => {
  const { books } = scene.stack.sandbox;
  return [...books.payouts(), ...books.topups(), ...books.messages()].length;
};

test('payments, top-ups, messages and expiry runs wait for the end of the fence', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const paid = await scene.gift({ merchant, owner: null });
  const told = await scene.gift({ owner: newOwner('000') });
  const answers = [
    redeem(client, paid),
    scene.asPartner.post(AIRTIME, { amount: 50, msisdn: '+251911770000', ...sale }),
  ];
  const calls = ['payMerchant', 'sendTopup'];
  const all = (type: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, type]));
  await until(async () => expect(Object.keys(await waiting()).sort()).toEqual([...calls].sort()));

  expect(await operator.json('recovery fence')).toMatchObject({ changed: true });
  await until(async () => expect(await waiting()).toEqual(all('Maintenance', calls)));
  // From here on the fence alone withholds them.
  areCallsBroken = false;
  const runExpiry = await startExpiryRun();
  await queueReminder(told);
  const withheld = [...calls, 'endDueClaims'];
  const before = await attempts();
  await until(async () => {
    expect(await waiting()).toEqual(all('Maintenance', withheld));
    expect(await attempts()).toBeGreaterThan(before + withheld.length);
  });
  expect(sent()).toBe(0);

  expect(await operator.json('recovery book')).toMatchObject({ booked: 0, isComplete: true });
  expect(await operator.json(['recovery', 'lift', '--why', 'none'])).toMatchObject({
    changed: true,
  });
  await Promise.all(answers);
  await scene.untilStatus(paid, 'REDEEMED');
  await runExpiry.result();
  const { books } = scene.stack.sandbox;
  await until(() => expect(books.topups({ to: '+251911770000' })).toHaveLength(1));
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  await until(() => expect(books.messages(told.owner ?? '')).toHaveLength(1));
});

const startExpiryRun = () =>
  scene.stack.temporal.client.workflow.start('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });

/** A due message to the owner of a voucher. */
const queueReminder = ({ id }: Gift) =>
  sql`insert into messages (kind, msisdn, voucher_id, due_at)
    select 'EXPIRY_REMINDER', owner_msisdn, id, now() from vouchers where id = ${id}`.execute(
    scene.stack.database,
  );
