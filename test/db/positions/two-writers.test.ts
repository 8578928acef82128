import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createTopupActivities } from '../../../activities/topups/topups.ts';
import type { DatabaseTransaction } from '../../../src/db/connection.ts';
import { book, settleOrder } from '../../../src/db/positions/book.ts';
import { findCase } from '../../../src/db/positions/cases.ts';
import { observed } from '../../../src/db/positions/change.ts';
import { lockOrder } from '../../../src/db/positions/orders.ts';
import { switchProvider } from '../../../src/db/positions/placements.ts';
import { noteOpen, noteUnknown } from '../../../src/db/positions/sendings.ts';
import { lockRedemption } from '../../../src/db/vouchers/redemptions.ts';
import { lockVoucher } from '../../../src/db/vouchers/vouchers.ts';
import type { Answered } from '../../../src/domain/positions/placement.ts';
import { type Bearer, bearers } from '../../../src/domain/positions/position.ts';
import { createFailpoint } from '../../../src/runtime/process/failpoint.ts';
import { makeVoucher, redemptions, topup } from '../../admin/movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeFundedCatalogue,
  openScene,
} from '../../admin/scene.ts';
import { observe, placementsOf } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { untilBlocked } from '../../support/database-locks.ts';

/**
 * Whatever providers say and people settle, by two at a time: the books of PostgreSQL follow. Everybody takes the
 * voucher before its payment, so that no two end in a deadlock.
 */
let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeFundedCatalogue(scene);
});
afterAll(() => scene?.close());

type Step =
  | { readonly kind: 'says'; readonly said: Answered; readonly amount: bigint | null }
  | { readonly kind: 'settles'; readonly by: Bearer };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('says' as const),
      said: fc.constantFrom<Answered>('done', 'undone', 'nothing', 'never-seen', 'other', 'silent'),
      amount: fc.constantFrom(null, null, 30_000_000n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('settles' as const),
      by: fc.constantFrom(...bearers),
    }),
  },
);

async function orders(): Promise<string[]> {
  const { database } = scene;
  const redeem = redemptions(database, catalogue);
  const made: string[] = [];
  for (const ending of ['post', 'void'] as const) {
    const { id } = await makeVoucher(database, catalogue, { amount: '50' });
    const operationId = await redeem.hold(id);
    await redeem[ending](operationId);
    made.push(operationId);
  }
  for (const ending of ['SUCCESS', 'FAILED'] as const) {
    const id = await topup(database, catalogue.partnerId, '50', { ending });
    const { operation_id: operationId } = await database
      .selectFrom('topup_attempts')
      .select('operation_id')
      .where('topup_id', '=', id)
      .executeTakeFirstOrThrow();
    made.push(operationId);
  }
  return made;
}

const take = (operationId: string, one: Step): Promise<void> =>
  scene.database.transaction().execute(async (transaction) => {
    if (one.kind === 'says') {
      const { said, amount } = one;
      await observe(transaction, operationId, {
        said,
        ...(said === 'done' && amount !== null && { amount }),
        ...(said === 'other' && { message: 'another payee' }),
      });
      return;
    }
    const open = await transaction
      .selectFrom('cases')
      .select('id')
      .where('subject', '=', operationId)
      .where('closed_at', 'is', null)
      .executeTakeFirst();
    const found = open && (await findCase(transaction, open.id));
    if (!found) return;
    const choice = { by: one.by, partnerId: null, actor: 'hanna', note: 'agreed' };
    await settleOrder(transaction, found, choice, { reversalWatchSeconds: 0 });
  });

it('two at a time leave the books in order', { timeout: 300_000 }, async () => {
  const [runs] = [fc.sample(fc.array(step, { minLength: 4, maxLength: 12 }), 12)];
  for (const steps of runs) {
    const made = await orders();
    for (let place = 0; place < steps.length; place += 2)
      await Promise.all(
        made.flatMap((operationId) =>
          steps.slice(place, place + 2).map((one) => take(operationId, one)),
        ),
      );
    expect(await findBrokenInvariants(scene.database), JSON.stringify(steps, asText)).toEqual([]);
  }
});

const asText = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value;

async function heldPayment() {
  const { id } = await makeVoucher(scene.database, catalogue, { amount: '50' });
  return { id, operationId: await redemptions(scene.database, catalogue).hold(id) };
}

const inTransaction = <Result>(work: (transaction: DatabaseTransaction) => Promise<Result>) =>
  scene.database.transaction().execute(work);

it.each([
  ['the end of a payment', lockRedemption],
  ['an observation', lockOrder],
] as const)('%s leaves the payment free while it waits for the voucher', async (_who, lock) => {
  const { id, operationId } = await heldPayment();
  const { waiting } = await inTransaction(async (transaction) => {
    await lockVoucher(transaction, id);
    const locked = inTransaction<unknown>((other) => lock(other, operationId));
    await untilBlocked(scene.database);
    await sql`
      select from redemptions where operation_id = ${operationId} for update nowait`.execute(
      transaction,
    );
    return { waiting: locked };
  });
  await waiting;
});

it('the end of a top-up that is repeated before it is over is booked once', async () => {
  const { database } = scene;
  const id = await topup(database, catalogue.partnerId, '50');
  const times = () =>
    database
      .selectFrom('topup_attempts as attempt')
      .innerJoin('operations', 'operations.id', 'operation_id')
      .select([
        'operation_id',
        'attempt.settled_at as endedAt',
        'operations.settled_at as answeredAt',
      ])
      .where('topup_id', '=', id)
      .executeTakeFirstOrThrow();
  const { operation_id: operationId } = await times();
  const { endTopup } = createTopupActivities({
    database,
    failpoint: createFailpoint(undefined),
    settings: { topups: { reversalWatchSeconds: 0 } },
  } as unknown as ActivityDependencies);
  const end = () => endTopup(operationId, { kind: 'not-done', message: 'no', by: 'provider' });
  const { first, second } = await inTransaction(async (transaction) => {
    await sql`select from topups where id = ${id} for no key update`.execute(transaction);
    const ends = { first: end(), second: end() };
    await untilBlocked(database, 2);
    return ends;
  });
  expect(await second).toEqual(await first);
  const { endedAt, answeredAt } = await times();
  expect(endedAt).toEqual(answeredAt);
});

it('a provider that another attempt has called meanwhile is not left', async () => {
  const { operationId } = await heldPayment();
  const { switching } = await inTransaction(async (transaction) => {
    await noteUnknown(transaction, operationId);
    const switched = switchProvider(
      scene.database,
      { subject: 'payment', operationId },
      { from: 'gsma', to: 'mpesa', message: 'refused', isAskedLater: false },
    );
    await untilBlocked(scene.database);
    return { switching: switched };
  });
  expect(await switching).toBe(false);
});

it('a provider that has told of the order meanwhile is not left', async () => {
  const { operationId } = await heldPayment();
  await inTransaction((transaction) =>
    observe(transaction, operationId, { said: 'other', message: 'another payee' }),
  );
  const switched = await switchProvider(
    scene.database,
    { subject: 'payment', operationId },
    { from: 'gsma', to: 'mpesa', message: 'not sent', isAskedLater: false },
  );
  expect(switched).toBe(false);
});

it('what is noted of an open order during a booking of silence is kept', async () => {
  const { database } = scene;
  const { operationId } = await heldPayment();
  const [placement] = await placementsOf(database, operationId);
  if (!placement) throw new Error('The payment was never placed');
  const seen = { source: 'inquiry', said: 'silent' } as const;
  await inTransaction(async (transaction) => {
    const order = await lockOrder(transaction, operationId);
    await noteOpen(database, placement, { message: 'under way', takenAs: 'request-7' });
    const after = observed(order.position, placement.id, { at: order.now, ...seen });
    await book(transaction, order, after, seen, { reversalWatchSeconds: 0 });
  });
  expect(await placementsOf(database, operationId)).toMatchObject([
    { provider_reference: 'request-7', message: 'under way', silent_since: expect.any(Date) },
  ]);
});

it('a change of the provider does not wait for the voucher', async () => {
  const { id, operationId } = await heldPayment();
  await inTransaction(async (transaction) => {
    await lockVoucher(transaction, id);
    const switched = await switchProvider(
      scene.database,
      { subject: 'payment', operationId },
      { from: 'gsma', to: 'mpesa', message: 'refused', isAskedLater: false },
    );
    expect(switched).toBe(true);
  });
});
