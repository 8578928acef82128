import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMpesaResult, mpesaResultsIn } from '../../../src/db/reconciliation.ts';
import { makeVoucher, redemptions } from '../../admin/movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeFundedCatalogue,
  openScene,
} from '../../admin/scene.ts';
import { observe, placementsOf } from '../../positions/placements.ts';

/** M-Pesa tells by callbacks, which may be older than what the books know from elsewhere. */
let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeFundedCatalogue(scene);
});
afterAll(() => scene?.close());

/** A payment by M-Pesa that is on hold, or was made. */
async function payment(ending: 'hold' | 'post') {
  const { database } = scene;
  const { id } = await makeVoucher(database, catalogue);
  const operationId = await redemptions(database, catalogue).hold(id);
  await sql`update placements set provider = 'mpesa' where operation_id = ${operationId}`.execute(
    database,
  );
  if (ending === 'post') await redemptions(database, catalogue).post(operationId);
  const [placement] = await placementsOf(database, operationId);
  return { operationId, reference: placement?.reference ?? '' };
}

const tell = (reference: string, kind: 'payment' | 'inquiry', resultCode: string) =>
  addMpesaResult(scene.database, {
    kind,
    reference,
    conversationId: randomUUID(),
    resultCode,
    description: 'Words',
    transactionStatus: kind === 'inquiry' ? 'Completed' : null,
    receipt: 'SG632NMUAB',
    difference: null,
    otherAmount: null,
  });

const learn = (operationId: string, said: 'done' | 'undone' | 'nothing') =>
  scene.database
    .transaction()
    .execute((transaction) => observe(transaction, operationId, { said, source: 'statement' }));

describe('what M-Pesa told', () => {
  it.each([
    ['a success, before the books know anything', '0', undefined, false],
    ['a success, before it was taken back', '0', 'undone', true],
    ['a success, before the statement had it', '0', 'done', false],
    ['a failure, before the statement had the payment', '1', 'done', true],
    ['a failure, before the statement had the failure', '1', 'nothing', false],
  ] as const)('of a payment is overruled or not: %s', async (_name, code, learnt, isOverruled) => {
    const { operationId, reference } = await payment(learnt ? 'post' : 'hold');
    await tell(reference, 'payment', code);
    if (learnt) await learn(operationId, learnt);
    expect(await mpesaResultsIn(scene.database).ofPayment(reference)).toMatchObject({
      resultCode: code,
      isOverruled,
    });
  });

  it('of a payment counts where it is the news', async () => {
    const { operationId, reference } = await payment('post');
    await learn(operationId, 'undone');
    await tell(reference, 'payment', '0');
    expect(await mpesaResultsIn(scene.database).ofPayment(reference)).toMatchObject({
      isOverruled: false,
    });
  });

  it('in answer to an inquiry is used once, and not after the books have learnt more', async () => {
    const { operationId, reference } = await payment('post');
    const { takeAnswers } = mpesaResultsIn(scene.database);
    await tell(reference, 'inquiry', '0');
    expect(await takeAnswers(reference)).toHaveLength(1);
    await tell(reference, 'inquiry', '0');
    await learn(operationId, 'undone');
    expect(await takeAnswers(reference)).toEqual([]);
    await tell(reference, 'inquiry', '0');
    expect(await takeAnswers(reference)).toHaveLength(1);
  });
});
