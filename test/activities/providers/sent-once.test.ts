import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { bookLost, liftFence, raiseFence } from '../../../src/db/recovery.ts';
import { placingReversal } from '../../../src/db/vouchers/reversals.ts';
import { redemptions, topUp } from '../../admin/movements.ts';
import { settleAlone } from '../../positions/cases.ts';
import { placementsOf } from '../../positions/placements.ts';
import {
  inAttempt,
  notSent,
  openTwoProviders,
  refused,
  type TwoProviders,
  unknown,
} from './two-providers.ts';

/** A provider that pays twice what is sent twice is sent a payment once. */
let two: TwoProviders;

beforeAll(async () => {
  two = await openTwoProviders();
});
afterAll(() => two?.scene.close());
beforeEach(() => two.reset());

describe('a payment to a provider that pays twice what is sent twice', () => {
  beforeEach(() => {
    two.repetition = 'never';
  });

  const restored = async (
    change: (fenceId: number) => Promise<unknown> = async () => undefined,
  ) => {
    const fenceId = await two.scene.database
      .transaction()
      .execute((transaction) => raiseFence(transaction, new Date()));
    await change(fenceId);
    await two.scene.database
      .transaction()
      .execute((transaction) => liftFence(transaction, fenceId));
  };

  it('is sent once, and again only where it was not sent', async () => {
    const operationId = await two.hold();
    two.answers.first = () => notSent;
    two.unavailable = 'mpesa';
    expect(await two.pay(operationId)).toMatchObject({ kind: 'not-sent' });
    two.answers.first = () => unknown;
    expect(await two.pay(operationId)).toMatchObject({ kind: 'unknown' });
    expect(await two.pay(operationId, { attempt: 2 })).toMatchObject({ kind: 'unknown' });
    expect(two.asked).toEqual(['first send', 'first send']);
  });

  const ask = (operationId: string) =>
    inAttempt(1, () => two.activities().inquirePayment(operationId, 1));

  it('is known not to have been sent, until it may have been', async () => {
    const operationId = await two.hold();
    expect(await ask(operationId)).toMatchObject({ kind: 'never-seen' });
    two.answers.first = () => refused(true);
    await two.pay(operationId, { isFirst: false });
    expect(await ask(operationId)).toMatchObject({ kind: 'never-seen' });
    expect(two.asked).toEqual(['first send']);
    two.answers.first = () => unknown;
    await two.pay(operationId, { isFirst: false });
    await ask(operationId);
    expect(two.asked).toEqual(['first send', 'first send', 'first ask']);
  });

  it('is not sent where a restore may have taken its mark back', async () => {
    const operationId = await two.hold();
    await restored();
    expect(await two.pay(operationId, { attempt: 2 })).toMatchObject({ kind: 'unknown' });
    await ask(operationId);
    expect(two.asked).toEqual(['first ask']);
    const later = await two.hold();
    expect(await two.pay(later)).toMatchObject({ kind: 'delivered' });
  });

  it.each([
    ['has made it', undefined, []],
    ['has made it, and the platform bears it', 'platform', []],
    ['is said to have taken it back', 'provider', []],
  ] as const)(
    'is asked about, and not sent, after a restore where the provider %s',
    async (_, by, sendings) => {
      const { database } = two.scene;
      // Its rows were lost, and the request is repeated.
      const lost = await two.hold();
      const [placement] = await placementsOf(database, lost);
      if (!placement) throw new Error('The payment was never placed');
      const { reference } = placement;
      await database.deleteFrom('placements').where('reference', '=', reference).execute();
      await restored(() =>
        database.transaction().execute((transaction) =>
          bookLost(
            transaction,
            {
              kind: 'payment',
              provider: 'gsma',
              reference,
              amount: '97.50',
              madeAt: new Date(),
              providerReference: 'P-1',
              party: null,
              serialNumber: null,
            },
            { reversalWatchSeconds: 0 },
          ),
        ),
      );
      if (by) await settleAlone(database, reference, by);
      await sql`update placements set operation_id = ${lost} where reference = ${reference}`.execute(
        database,
      );
      await two.pay(lost);
      expect(two.asked).toEqual(sendings);
    },
  );
});

const taken = { ...unknown, takenAs: 'request-7' };

it('a payment that its provider took is not sent again where the provider does not list it', async () => {
  const operationId = await two.hold();
  two.answers.first = () => taken;
  await two.pay(operationId);
  const ask = () => inAttempt(1, () => two.activities().inquirePayment(operationId, 1));
  expect(await ask()).toMatchObject({ kind: 'unknown' });
  expect(two.known).toBe('request-7');
  // The id of the request is not the reference of the payment.
  two.found.first = refused(true);
  expect(await ask()).toMatchObject({ kind: 'refused' });
  await redemptions(two.scene.database, two.catalogue).void(operationId);
  expect(await placementsOf(two.scene.database, operationId)).toMatchObject([
    { said: 'nothing', provider_reference: null },
  ]);
});

it('a top-up that its provider took is not sent again where the provider does not list it', async () => {
  const topupId = await topUp(two.scene.database, two.catalogue.partnerId, '50');
  const { operation_id: operationId } = await two.scene.database
    .selectFrom('topup_attempts')
    .select('operation_id')
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  const ask = () => inAttempt(1, () => two.activities().inquireTopUp(operationId, 1, Date.now()));
  expect(await ask()).toMatchObject({ kind: 'never-seen' });
  await two.activities().markTopUpUnknown(operationId, 'The top-up is under way', 'request-7');
  expect(await ask()).toMatchObject({ kind: 'unknown' });
  expect(two.known).toBe('request-7');
});

it('a reversal that its provider took is not sent again where the provider does not list it', async () => {
  const { database } = two.scene;
  const paid = await two.hold();
  await redemptions(database, two.catalogue).post(paid);
  const reference = randomUUID();
  await placingReversal(
    reference,
    sql`(select * from placements where operation_id = ${paid})`,
  ).execute(database);
  await sql`
    insert into redemption_reversals (redemption_id, operation_id, request_digest, reference, status)
    select id, ${reference}, 'digest', ${reference}::uuid, 'PENDING'
    from redemptions where operation_id = ${paid}`.execute(database);
  const ask = () => inAttempt(1, () => two.activities().inquireReversal(reference, 1));
  expect(await ask()).toMatchObject({ kind: 'never-seen' });
  two.answers.first = () => taken;
  await inAttempt(1, () => two.activities().reversePayment(reference, 1, true));
  expect(await ask()).toMatchObject({ kind: 'unknown' });
  expect(two.known).toBe('request-7');
});
