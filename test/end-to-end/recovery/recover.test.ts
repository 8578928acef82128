import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { providerOf } from '../../../src/db/positions/placements.ts';
import { dayOfTime } from '../../../src/domain/day-report.ts';
import { type Commands, commandsOn } from '../../admin/scene.ts';
import { shownFacts, untilCase } from '../../positions/cases.ts';
import { askAll } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { type Answer, merchantClient } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { backUp } from '../../support/restore.ts';
import { providerSettings } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { reconciled } from '../faults/reconciled.ts';
import { CLAIM, GENERATE, type Gift, REDEEM } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { createCanary, secretsInDatabase } from '../processes/canary.ts';
import { sale } from '../topups/topup-scene.ts';

/**
 * The database is restored to a moment before payments and a top-up: the fence holds everything
 * back, the books of the providers are listed and booked, and what comes again is not paid again.
 */
let scene: RedemptionScene;
let operator: Commands;
/** M-Pesa cannot list what it paid. */
let withMpesa: Commands;
/** The workers top up at Reloadly, too. */
let withoutReloadly: Commands;
beforeAll(async () => {
  scene = await setRedemptionScene({ RECONCILE_INTERVAL_SECONDS: '1', MPESA_URL: undefined });
  const { sandbox } = scene.stack;
  // The command line has the rights of operators, and no others.
  const DATABASE_URL = scene.stack.urlFor('operator');
  const settings = { ...providerSettings(sandbox), DATABASE_URL };
  withMpesa = commandsOn(settings);
  operator = commandsOn({ ...settings, MPESA_URL: undefined });
  withoutReloadly = commandsOn({ ...settings, MPESA_URL: undefined, RELOADLY_URL: undefined });
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '1000', 'airtime');
});
afterAll(() => scene?.stop());

const REFUSED = { statusCode: 503, success: false, message: expect.stringContaining('recovered') };

const topup = (key: string, msisdn = '+251911770000') =>
  scene.asPartner.post(
    '/topup-transactions/airtime-topup',
    { amount: 50, msisdn, ...sale },
    { 'Idempotency-Key': key },
  );

/** What a redemption answers once the processes have seen what became of the fence. */
const untilServed = (send: () => Promise<Answer>) =>
  until(async () => {
    const answer = await send();
    expect(answer.body.statusCode).not.toBe(503);
    return answer;
  });

const suspenseOf = async () =>
  (await operator.json('money check-ledger')).totals.openSuspense as {
    count: number;
    toBeBorne: string;
  };

test('what the providers did since is booked once, and never paid again', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const [repeated, repaid] = [await scene.gift({ merchant }), await scene.gift({ merchant })];
  // A claim of it may still be served before the processes see the fence, which must replace no code above.
  const probed = await scene.gift({ merchant });
  const codes = new Map<Gift, string>();
  for (const gift of [repeated, repaid]) codes.set(gift, await scene.claimed(client, gift));
  const request = (gift: Gift) => ({
    verificationCode: codes.get(gift) ?? '',
    idempotencyKey: `key-${gift.id}`,
  });
  const topupKey = randomUUID();
  const underWay = await topup(randomUUID(), '+251911770014');
  await expectRefusedWithoutFence();

  const restore = await backUp(scene.stack.database);
  const paid = await redeem(client, repeated, request(repeated));
  await redeem(client, repaid, request(repaid));
  const toppedUp = await topup(topupKey);
  expect(toppedUp.body.data.status).toBe('SUCCESS');
  await restore();
  expect(await operator.admin('recovery fence')).toMatchObject({ code: 0 });
  expect((await operator.json('recovery fence')).changed).toBe(false);

  await expectOnlyReads(client, probed);
  // As if another provider had been asked after the moment of the restore, and not this one: the workflow, which
  // runs here, may not ask that one before the fence holds it back.
  await placeAttempt(underWay, 'reloadly');
  const listed = await operator.json('recovery list');
  expect(listed.counts).toEqual({ lost: 3, open: 1 });
  expect((await withMpesa.json('recovery list')).gaps).toEqual([
    expect.stringContaining('mpesa cannot list each payment'),
  ]);
  expect(JSON.stringify(listed)).not.toContain(merchant.payoutNumber.slice(1));
  // Nothing says what the other provider did since.
  await until(async () => {
    const incomplete = await withoutReloadly.json('recovery list');
    expect(incomplete.gaps).toEqual([expect.stringContaining('reloadly is not set up')]);
  });
  // A part of the books says nothing of the rest.
  const part = await operator.json(`recovery book --since ${new Date().toISOString()}`);
  expect(part).toMatchObject({ booked: 0, isComplete: false });
  expect((await operator.admin('recovery lift --why early')).err).toContain('recovery book');
  expect(await operator.json('recovery book')).toMatchObject({ booked: 3, isComplete: true });
  expect(await operator.json('recovery book')).toMatchObject({ booked: 0 });
  expect(await attemptOf(underWay)).toEqual({ provider: 'dt-one', status: 'HELD' });
  expect(await suspenseOf()).toMatchObject({ count: 3, toBeBorne: '245.000000' });
  const open = await operator.json('cases list');
  expect(open).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ provider: 'gsma', serialNumber: expect.any(String) }),
      expect.objectContaining({ provider: 'dt-one', amount: '50.000000' }),
    ]),
  );
  // Who got it may be a person, whose number is sealed everywhere else, and is to be erased some day.
  const canary = createCanary();
  canary.add('number', '+251911770000');
  expect(await secretsInDatabase(scene.stack.database, canary)).toEqual([]);
  expect((await operator.json('recovery status')).fence).not.toBeNull();
  expect(await operator.admin(['recovery', 'lift', '--why', 'all booked'])).toMatchObject({
    code: 0,
  });

  // Another request for the same voucher could pay its value twice.
  const other = await untilServed(() =>
    redeem(client, repaid, { ...request(repaid), idempotencyKey: randomUUID() }),
  );
  expect(other.body.statusCode).toBe(4092);
  const { referenceNumber } = paid.body.data;
  await until(async () => {
    const again = await redeem(client, repeated, request(repeated));
    expect(again.body).toMatchObject({ statusCode: 200, data: { referenceNumber } });
  });
  expect((await topup(topupKey)).body.data.status).toBe('SUCCESS');
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed', '97.50 completed']);
  expect(scene.stack.sandbox.books.topups({ to: '+251911770000' })).toHaveLength(1);

  // The caller of the last one never comes back: an operator decides.
  const [left] = await operator.json('cases list');
  expect(left).toMatchObject({ serialNumber: expect.any(String), amount: '97.500000' });
  await untilCase(scene.stack, left.reference, 'RUNNING');
  const settle = `cases settle ${left.id} --by partner ${await shownFacts(operator, left.id)} --why ok`;
  expect((await operator.admin(settle)).code).toBe(1);
  const byPartner = `${settle} --partner ${scene.partner.id}`;
  expect(await operator.json(byPartner)).toMatchObject({ isNew: true });
  await untilCase(scene.stack, left.reference, 'COMPLETED');
  expect((await operator.admin(byPartner)).err).toContain('The case is closed');
  expect(await suspenseOf()).toMatchObject({ count: 0 });
  expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
});

test('a reversal that a restore lost gives its voucher the value back', async () => {
  const { merchant } = await scene.payee('merchant');
  const client = await merchantClient(scene.stack, merchant);
  const gift = await scene.gift({ merchant });
  await scene.redeemed(client, gift);
  const { id } = (await client.get('/redemptions')).body.data[0];
  const idempotencyKey = randomUUID();
  const reverse = () => client.post(`/redemptions/${id}/reverse`, { idempotencyKey });
  const restore = await backUp(scene.stack.database);
  expect((await reverse()).body).toMatchObject({ statusCode: 200 });
  // Its workflow ends with the notice for the owner. While it runs, it answers a repetition.
  await until(async () => {
    const { rows } = await sql<{ status: string }>`
      select status from messages where kind = 'REVERSAL_NOTICE'`.execute(scene.stack.database);
    expect(rows).toEqual([{ status: 'SENT' }]);
  });
  // Some providers say that a payment is done, whatever they have taken back.
  await scene.settlePayout(merchant, 'completed');
  await restore();
  await operator.admin('recovery fence');
  await operator.json('recovery book');
  await operator.admin(['recovery', 'lift', '--why', 'all booked']);

  const day = dayOfTime(new Date(), scene.stack.config.market.marketTimeZone);
  const reconcile = `money reconcile --provider gsma --day ${day}`;
  await until(async () => expect(await operator.admin(reconcile)).toMatchObject({ code: 0 }));
  const [found] = await operator.json('cases list');
  expect(found).toMatchObject({ difference: 'taken-back', amount: '-97.500000' });
  const settle = `cases settle ${found.id} --by payer ${await shownFacts(operator, found.id)} --why ok`;
  expect(await operator.json(settle)).toMatchObject({ isNew: true });
  await until(async () => expect(await operator.json('cases list')).toEqual([]));
  expect((await untilServed(reverse)).body.statusCode).toBe(4098);
  // A later answer of the provider, and a later comparison, find nothing new.
  await operator.admin(reconcile);
  await askAll(scene.stack.database);
  expect(await reconciled(scene.stack)).toBe('in order');
  expect(await operator.json('cases list')).toEqual([]);
  await scene.redeemed(client, gift);
  expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
});

const topupOf = ({ body }: Answer) => Number(body.data.transactionId);

const placeAttempt = (answer: Answer, provider: 'reloadly') =>
  scene.stack.database
    .updateTable('placements')
    .set({ provider })
    .where('operation_id', 'in', (select) =>
      select
        .selectFrom('topup_attempts')
        .select('operation_id')
        .where('topup_id', '=', topupOf(answer)),
    )
    .execute();

const attemptOf = (answer: Answer) =>
  scene.stack.database
    .selectFrom('topup_attempts')
    .select('status')
    .select(providerOf(sql.ref('topup_attempts.operation_id')).as('provider'))
    .where('topup_id', '=', topupOf(answer))
    .executeTakeFirstOrThrow();

async function expectRefusedWithoutFence() {
  for (const command of ['recovery list', 'recovery book'])
    expect((await operator.admin(command)).err).toContain('recovery fence');
  expect(await operator.json('recovery lift --why none')).toMatchObject({ changed: false });
}

/** Nothing is accepted, held or sent; lists, log-in and its check work. */
async function expectOnlyReads(
  client: Awaited<ReturnType<typeof scene.payee>>['client'],
  gift: Gift,
) {
  const voucher = { voucherCode: gift.voucherCode };
  await until(async () => expect((await client.post(CLAIM, voucher)).body).toMatchObject(REFUSED));
  const refused = await scene.asPartner.post(REDEEM, voucher);
  expect(refused.body).toMatchObject(REFUSED);
  expect(refused.headers.get('Retry-After')).toBe('30');
  expect((await topup(randomUUID())).body).toMatchObject(REFUSED);
  expect((await scene.asPartner.get('/info/get-current-balance')).status).toBe(200);
  expect((await client.post('/test', {})).status).toBe(200);
  expect((await scene.asPartner.get(GENERATE)).status).toBe(405);
  expect((await scene.payee('merchant')).client).toBeDefined();
}
