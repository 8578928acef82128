import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DatabaseTransaction } from '../../../src/db/connection.ts';
import { lockOrder } from '../../../src/db/positions/orders.ts';
import { switchProvider } from '../../../src/db/positions/placements.ts';
import { lockRedemption } from '../../../src/db/vouchers/redemptions.ts';
import { lockVoucher } from '../../../src/db/vouchers/vouchers.ts';
import { makeVoucher, redemptions } from '../../admin/movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeFundedCatalogue,
  openScene,
} from '../../admin/scene.ts';
import { untilBlocked } from '../../support/database-locks.ts';

/** Whoever locks a voucher and its payment takes the voucher first: two writers never end in a deadlock. */
let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeFundedCatalogue(scene);
});
afterAll(() => scene?.close());

async function heldPayment() {
  const { id } = await makeVoucher(scene.database, catalogue, { amount: '50' });
  return { id, operationId: await redemptions(scene.database, catalogue).hold(id) };
}

const inTransaction = (work: (transaction: DatabaseTransaction) => Promise<unknown>) =>
  scene.database.transaction().execute(work);

it.each([
  ['the end of a payment', lockRedemption],
  ['an observation', lockOrder],
] as const)('%s leaves the payment free while it waits for the voucher', async (_who, lock) => {
  const { id, operationId } = await heldPayment();
  const { waiting } = (await inTransaction(async (transaction) => {
    await lockVoucher(transaction, id);
    const locked = inTransaction((other) => lock(other, operationId));
    await untilBlocked(scene.database);
    await sql`
      select from redemptions where operation_id = ${operationId} for update nowait`.execute(
      transaction,
    );
    return { waiting: locked };
  })) as { waiting: Promise<unknown> };
  await waiting;
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
