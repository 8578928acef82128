import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTransfers } from '../../../src/db/ledger/ledger.ts';
import { NEVER_STARTED } from '../../../src/db/topups/attempts.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { caseId } from '../../../workflows/workflow-ids.ts';
import { makePartner } from '../../support/companies.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS });
});
afterAll(() => scene?.stop());

/** Runs an expiry run: its result, and whether support is told of the run itself. */
async function runExpiry(history?: string) {
  const { client } = scene.stack.temporal;
  const handle = await client.workflow.start('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });
  const result = await ended(scene.stack, handle.workflowId, history);
  return { result, isFound: await callsPerson(handle) };
}

/** The case of a partner whose vouchers cannot expire. */
function caseOf(partnerId: number): WorkflowHandle {
  const { temporal, config } = scene.stack;
  const name = { kind: 'due-vouchers', partnerId, dueUntil: '' } as const;
  return temporal.client.workflow.getHandle(caseId(name, config.temporal.temporalTaskQueue));
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

/** An old operation, so that an expiry run has something to prune. */
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

test('a partner whose reserve is short delays no other expiry, and is a case', async () => {
  const other = await makePartner(scene.stack);
  const short = await makePartner(scene.stack);
  const stuck = [await scene.gift({ partner: short }), await scene.gift({ partner: short })];
  const free = await scene.gift({ partner: other });
  for (const gift of [...stuck, free]) await scene.expire(gift);
  await move(short.id, 'reserved', 'gift', '150');
  await addOldOperations(1);
  const operationId = randomUUID();
  await sql`insert into topups (operation_id, workflow_id, request_digest, partner_id, kind, msisdn,
      exchange_rate, currency, originating_country, created_at)
    values (${operationId}, 'workflow', 'digest', ${other.id}, 'AIRTIME', 'hash.mask.k1.box', '1',
      'ETB', 'ET', now() - interval '1 hour')`.execute(scene.stack.database);
  await sql`insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
      status)
    values (${operationId}, 'partner', ${other.id}, 'top-up-airtime', gen_random_uuid(), 'digest',
      'RUNNING')`.execute(scene.stack.database);

  // The run has done what it could: the case is what a person must look at.
  expect(await runExpiry('expire-vouchers-stuck')).toMatchObject({
    result: { expiredVouchers: 1, stuckPartners: 1 },
    isFound: false,
  });
  const followed = caseOf(short.id);
  await expect.poll(() => callsPerson(followed)).toBe(true);
  const words = `2 of partner ${short.id} \\(.+\\), ETB 200.00; its reserve holds ETB 50.00`;
  expect(await detailsOf(followed)).toMatch(new RegExp(words));
  expect(await detailsOf(followed)).toContain(`--partner ${short.id} --wallet reserved`);
  expect(await scene.voucher(free)).toMatchObject({ status: 'EXPIRED' });
  for (const gift of stuck) expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  expect(await oldOperations()).toBe(0);
  const failed = await scene.stack.database
    .selectFrom('topups')
    .select(['status', 'message'])
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  expect(failed).toEqual({ status: 'FAILED', message: NEVER_STARTED });

  const { runId } = await followed.describe();
  expect(await runExpiry()).toMatchObject({ result: { stuckPartners: 1 } });
  expect((await followed.describe()).runId, 'one case for all expiry runs').toBe(runId);
  await followed.signal('lookAgain');
  await move(short.id, 'gift', 'reserved', '150');
  // What is due since then is not what the case is about.
  const later = await scene.gift({ partner: short });
  expect(await runExpiry()).toMatchObject({ result: { expiredVouchers: 2, stuckPartners: 0 } });
  await scene.expire(later);
  for (const gift of stuck) expect(await scene.voucher(gift)).toMatchObject({ status: 'EXPIRED' });
  await followed.signal('lookAgain');
  const settled = await ended(scene.stack, followed.workflowId);
  expect(settled).toEqual({ ended: 'settled' });
  expect(await callsPerson(followed)).toBe(false);
  expect(await runExpiry()).toMatchObject({ result: { expiredVouchers: 1 } });
});

test('one expiry run prunes all that is old, however much it is', async () => {
  await addOldOperations(12_000);
  expect(await runExpiry()).toMatchObject({ result: { prunedOperations: 12_000 } });
  expect(await oldOperations()).toBe(0);
});
