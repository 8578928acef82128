import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { bookLost, liftFence, raiseFence } from '../../../src/db/recovery.ts';
import { placingReversal } from '../../../src/db/vouchers/reversals.ts';
import { disagreement, underWay } from '../../../src/providers/outcome.ts';
import { redemptions, topup } from '../../admin/movements.ts';
import { settleAlone } from '../../positions/cases.ts';
import { askNow, placementsOf } from '../../positions/placements.ts';
import { breakStatement } from '../../support/database-faults.ts';
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
              at: new Date(),
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

/** An order on hold at the first provider, and its calls. */
interface Order {
  readonly operationId: string;
  send(): Promise<unknown>;
  ask(): Promise<unknown>;
}

async function payment(): Promise<Order> {
  const operationId = await two.hold();
  return {
    operationId,
    send: () => two.pay(operationId),
    ask: () => inAttempt(1, () => two.activities().inquirePayment(operationId, 1)),
  };
}

async function aTopup(): Promise<Order> {
  const { database } = two.scene;
  const topupId = await topup(database, two.catalogue.partnerId, '50');
  const { operation_id: operationId } = await database
    .selectFrom('topup_attempts')
    .select('operation_id')
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  const { sendTopup, inquireTopup } = two.activities();
  return {
    operationId,
    send: () => inAttempt(1, () => sendTopup(operationId, 1, true)),
    ask: () => inAttempt(1, () => inquireTopup(operationId, 1, Date.now())),
  };
}

async function reversal(): Promise<Order> {
  const { database } = two.scene;
  const operationId = await two.hold();
  await redemptions(database, two.catalogue).post(operationId);
  const reference = randomUUID();
  await placingReversal(
    reference,
    sql`(select * from placements where operation_id = ${operationId})`,
  ).execute(database);
  await sql`
    insert into redemption_reversals (redemption_id, operation_id, request_digest, reference, status)
    select id, ${reference}, 'digest', ${reference}::uuid, 'PENDING'
    from redemptions where operation_id = ${operationId}`.execute(database);
  const { reversePayment, inquireReversal } = two.activities();
  return {
    operationId,
    send: () => inAttempt(1, () => reversePayment(reference, 1, true)),
    ask: () => inAttempt(1, () => inquireReversal(reference, 1)),
  };
}

const newestOf = async ({ operationId }: Order) => {
  const newest = (await placementsOf(two.scene.database, operationId)).at(-1);
  if (!newest) throw new Error('The order was never placed');
  return newest;
};

const taken = underWay('It is under way', 'request-7');

describe.each([
  ['a payment', payment],
  ['a top-up', aTopup],
  ['a reversal', reversal],
])('%s that its provider took', (_, hold) => {
  const takenAt = async (told: 'sending' | 'inquiry', id = 'request-7'): Promise<Order> => {
    const order = await hold();
    expect(await order.ask()).toMatchObject({ kind: 'never-seen' });
    two.answers.first = () => (told === 'sending' ? underWay('It is under way', id) : unknown);
    await order.send();
    if (told === 'inquiry') two.found.first = underWay('It is under way', id);
    await order.ask();
    two.found.first = { kind: 'never-seen' };
    two.asked = [];
    return order;
  };

  it.each(['sending', 'inquiry'] as const)(
    'is not sent again where the provider does not list it: the %s told its id',
    async (told) => {
      const order = await takenAt(told);
      expect(await order.ask()).toMatchObject({ kind: 'unknown' });
      expect(two.known).toBe('request-7');
      expect(await order.send()).toMatchObject({ kind: 'unknown' });
      expect(two.asked).toEqual(['first ask']);
    },
  );

  it('is noted as open together with its id', async () => {
    const mend = await breakStatement(two.scene.database, {
      table: 'placements',
      on: 'update',
      when: 'new.silent_since is not null and new.provider_reference is null',
    });
    const order = await hold();
    two.answers.first = () => taken;
    await order.send().finally(mend);
    expect(await newestOf(order)).toMatchObject({
      message: 'It is under way',
      provider_reference: 'request-7',
      silent_since: expect.any(Date),
    });
  });

  it('is not sent again once its provider has told of it otherwise', async () => {
    const order = await hold();
    two.answers.first = () => unknown;
    await order.send();
    two.found.first = disagreement('The provider knows one with another payee.');
    await askNow(two.scene.database, (await newestOf(order)).reference);
    await inAttempt(1, () => two.activities().askDue());
    expect(await newestOf(order)).toMatchObject({ said: 'other' });
    two.found.first = { kind: 'never-seen' };
    two.asked = [];
    expect(await order.ask()).toMatchObject({ kind: 'unknown' });
    expect(await order.send()).toMatchObject({ kind: 'unknown' });
    expect(two.asked).toEqual(['first ask']);
  });

  it('is asked about by our reference until the provider tells an id', async () => {
    const order = await takenAt('sending', 'to be replaced');
    const { reference, id } = await newestOf(order);
    await sql`update placements set provider_reference = reference where id = ${id}`.execute(
      two.scene.database,
    );
    expect(await order.ask()).toMatchObject({ kind: 'unknown' });
    expect(two.known).toBe(reference);
    for (const told of ['request-8', reference]) {
      two.found.first = underWay('It is under way', told);
      await order.ask();
      expect(await newestOf(order)).toMatchObject({ provider_reference: 'request-8' });
    }
  });

  it('is asked about by its id in the reconciliation', async () => {
    const order = await takenAt('sending');
    const { reference } = await newestOf(order);
    await askNow(two.scene.database, reference);
    await inAttempt(1, () => two.activities().askDue());
    expect(two.known).toBe('request-7');
    expect(await newestOf(order)).toMatchObject({
      said: 'none',
      provider_reference: 'request-7',
    });
  });
});

it.each([
  ['a payment', payment],
  ['a top-up', aTopup],
])(
  '%s keeps the id of its provider where the answer of an earlier one is open',
  async (_, hold) => {
    const order = await hold();
    two.answers.first = () => notSent;
    // The first provider tells meanwhile that it is under way there.
    two.answers.second = async () => {
      await sql`
      update placements set said = 'pending' where operation_id = ${order.operationId} and position = 1`.execute(
        two.scene.database,
      );
      return taken;
    };
    expect(await order.send()).toMatchObject({ kind: 'unknown' });
    expect(await newestOf(order)).toMatchObject({ position: 2, provider_reference: 'request-7' });
  },
);

it('the id of a request is not the reference of a payment', async () => {
  const order = await payment();
  two.answers.first = () => taken;
  await order.send();
  two.found.first = refused(true);
  expect(await order.ask()).toMatchObject({ kind: 'refused' });
  await redemptions(two.scene.database, two.catalogue).void(order.operationId);
  expect(await newestOf(order)).toMatchObject({ said: 'nothing', provider_reference: null });
});
