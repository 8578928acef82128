import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTransfers } from '../../../src/db/ledger/ledger.js';
import { NEVER_STARTED } from '../../../src/db/topups/stale-topups.js';
import { parseMoney } from '../../../src/domain/money.js';
import { makePartner } from '../../support/companies.js';
import { ended } from '../../workflows/ended.js';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.js';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.js';

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS });
});
afterAll(() => scene?.stop());

/** Runs a sweep: its result or the error that it ended with, and whether support is told. */
async function sweep(scenario = 'expire-vouchers-many') {
  const { client } = scene.stack.temporal;
  const handle = await client.workflow.start('expireVouchers', {
    workflowId: `sweep-${randomUUID()}`,
    taskQueue: scene.stack.config.TEMPORAL_TASK_QUEUE,
  });
  const result = await ended(scene.stack, handle.workflowId, scenario);
  const { typedSearchAttributes } = await handle.describe();
  const isFound = typedSearchAttributes.get(defineSearchAttributeKey('NeedsAction', 'BOOL'));
  return { result, isFound: isFound === true };
}

/** Moves money between a partner's wallets beside its vouchers, as a wrong repair would. */
const move = (
  partnerId: number,
  debit: 'reserved' | 'gift',
  credit: 'reserved' | 'gift',
  amount: string,
) =>
  scene.stack.database.transaction().execute((transaction) =>
    addTransfers(transaction, [
      {
        operationId: `wrong-repair:${randomUUID()}`,
        partnerId,
        step: 'move',
        debit,
        credit,
        amount: parseMoney(amount),
      },
    ]),
  );

/** An old operation, so that a sweep has something to prune. */
const addOldOperations = (count: number) =>
  sql`insert into operations (id, created_at, company_kind, company_id, kind, request_id,
      request_digest, status, outcome)
    select 'old-' || gen_random_uuid(), now() - interval '31 days', 'partner', 1, 'redeem-gift',
      gen_random_uuid(), 'digest', 'SUCCEEDED', '{}' from generate_series(1, ${count}::int)`.execute(
    scene.stack.database,
  );

const oldOperations = async (): Promise<number> => {
  const { count } = await scene.stack.database
    .selectFrom('operations')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('id', 'like', 'old-%')
    .executeTakeFirstOrThrow();
  return count;
};

test('a partner whose reserve is short keeps no other from being swept, and is reported', async () => {
  const other = await makePartner(scene.stack);
  const short = await makePartner(scene.stack);
  const stuck = [await scene.gift({ partner: short }), await scene.gift({ partner: short })];
  const free = await scene.gift({ partner: other });
  for (const gift of [...stuck, free]) await scene.expire(gift);
  await move(short.id, 'reserved', 'gift', '150');
  await addOldOperations(1);
  const operationId = randomUUID();
  await sql`insert into topups (operation_id, request_digest, partner_id, kind, msisdn,
      exchange_rate, currency, originating_country, created_at)
    values (${operationId}, 'digest', ${other.id}, 'AIRTIME', '+251911000000', '1', 'ETB', 'ET',
      now() - interval '1 hour')`.execute(scene.stack.database);

  const { result, isFound } = await sweep('expire-vouchers-stuck');
  expect(result).toBeInstanceOf(WorkflowFailedError);
  expect((result as WorkflowFailedError).cause).toMatchObject({
    type: 'NeedsAction',
    message: expect.stringMatching(
      new RegExp(
        `^partner ${short.id} \\(.+\\): vouchers that are due: 2, worth 200.000000 ETB; ` +
          'its reserve holds 50.000000 ETB$',
      ),
    ),
  });
  expect(isFound).toBe(true);
  expect(await scene.voucher(free)).toMatchObject({ status: 'EXPIRED' });
  for (const gift of stuck) expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  expect(await oldOperations()).toBe(0);
  const failed = await scene.stack.database
    .selectFrom('topups')
    .select(['status', 'message'])
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  expect(failed).toEqual({ status: 'FAILED', message: NEVER_STARTED });

  await move(short.id, 'gift', 'reserved', '150');
  expect(await sweep()).toMatchObject({ result: { expiredVouchers: 2 }, isFound: false });
  for (const gift of stuck) expect(await scene.voucher(gift)).toMatchObject({ status: 'EXPIRED' });
});

test('one sweep prunes all that is old, however much it is', async () => {
  await addOldOperations(12_000);
  expect(await sweep()).toMatchObject({ result: { prunedOperations: 12_000 } });
  expect(await oldOperations()).toBe(0);
});
