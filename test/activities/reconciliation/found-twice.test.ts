import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { placeHeld, recheckPayments } from '../../../src/db/recovery/known-payments.ts';
import { redemptions } from '../../admin/movements.ts';
import { delivered, openTwoProviders, type TwoProviders } from '../providers/two-providers.ts';
import { type FailedOver, failedOverTo } from './failed-over.ts';

/** What `recover` finds at both providers, or more than once: it is asked of each, and booked once. */
let two: TwoProviders;
let on: FailedOver;

beforeAll(async () => {
  two = await openTwoProviders();
  on = failedOverTo(two);
});
afterAll(() => two?.scene.close());
beforeEach(() => two.reset());

const bothDidIt = () => {
  two.found.first = delivered;
  two.found.second = delivered;
};

/** Both providers list a payment on hold as done. */
const recover = (reference: string) =>
  two.scene.database.transaction().execute(async (transaction) => {
    for (const provider of ['gsma', 'mpesa'])
      await placeHeld(transaction, { kind: 'payment', provider, reference });
  });

const switchesOf = async (operationId: string) =>
  (
    await two.scene.database
      .selectFrom('provider_failovers')
      .select(['from_provider', sql<boolean>`recheck_at <= now()`.as('isDue')])
      .where('operation_id', '=', operationId)
      .orderBy('from_provider')
      .execute()
  ).map(({ from_provider: from, isDue }) => `${from}${isDue ? ' is due' : ''}`);

it('a payment on hold that both list as done ends, and is booked twice', async () => {
  const { operationId, reference } = await on.failedOver();
  await recover(reference);
  await recover(reference);
  expect(await switchesOf(operationId)).toEqual(['gsma is due', 'mpesa is due']);
  bothDidIt();
  await on.reconcile();
  await redemptions(two.scene.database, two.catalogue).post(operationId);
  await on.reconcile();
  expect(await on.movedBeside(reference)).toEqual(['suspense → mobile-money-clearing 487.50']);
  expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
});

it('a provider that stands twice beside a payment has paid once', async () => {
  const { operationId, reference } = await on.failedOver();
  await sql`
    insert into provider_failovers (operation_id, from_provider, to_provider, message, recheck_at)
    select operation_id, from_provider, to_provider, message, now() from provider_failovers
    where operation_id = ${operationId}`.execute(two.scene.database);
  bothDidIt();
  await on.calledBack(operationId);
  await redemptions(two.scene.database, two.catalogue).post(operationId);
  await on.reconcile();
  expect(await on.movedBeside(reference)).toEqual(['suspense → mobile-money-clearing 487.50']);
  expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
});

it('a list that has a payment twice has its provider asked once', async () => {
  const { operationId, reference } = await on.failedOver('post');
  await sql`delete from provider_failovers where operation_id = ${operationId}`.execute(
    two.scene.database,
  );
  const line = { reference, provider: 'gsma' };
  await two.scene.database
    .transaction()
    .execute((transaction) => recheckPayments(transaction, 'payment', [line, line]));
  expect(await switchesOf(operationId)).toEqual(['gsma is due']);
  bothDidIt();
  await on.reconcile();
  expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
});
