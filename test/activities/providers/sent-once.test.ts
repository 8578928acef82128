import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liftFence, raiseFence } from '../../../src/db/recovery/fence.ts';
import {
  bookRecovered,
  findRecovered,
  settleRecovered,
} from '../../../src/db/recovery/recovered-payments.ts';
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
    ['has taken it back', 'provider', ['first send']],
  ] as const)('is sent after a restore unless the provider %s', async (_, settledBy, sendings) => {
    // Its row is new: the one before is lost.
    const operationId = await two.hold();
    const { payment_reference: reference, created_at } = await two.scene.database
      .selectFrom('redemptions')
      .select(['payment_reference', 'created_at'])
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow();
    await restored((fenceId) =>
      two.scene.database.transaction().execute(async (transaction) => {
        await bookRecovered(transaction, fenceId, {
          ...{ kind: 'payment', provider: 'gsma', reference, amount: '97.50', madeAt: created_at },
          ...{ providerReference: 'P-1', providerStatus: 'completed', party: null },
          ...{ serialNumber: null, payee: null },
        });
        const found = await findRecovered(transaction, reference);
        if (found && settledBy) await settleRecovered(transaction, found, settledBy, null);
        await transaction
          .updateTable('maintenance_fences')
          .set({ raised_at: new Date(created_at.getTime() - 1) })
          .where('id', '=', fenceId)
          .execute();
      }),
    );
    await two.pay(operationId);
    expect(two.asked).toEqual(sendings);
  });
});
