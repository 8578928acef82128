import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseName } from '../../../workflows/contracts.ts';
import { caseId } from '../../../workflows/workflow-ids.ts';
import { makePartner } from '../../support/companies.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { until } from '../../support/until.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { newOwner } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';

/** A row that the database refuses to end keeps none of the others in its batch from their end. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    EXPIRY_REMINDER_DAYS: '7',
    EXPIRY_REMINDER_HOURS: '0-24',
  });
});
afterAll(() => scene?.stop());

async function runExpiry(history?: string): Promise<unknown> {
  const { workflowId } = await scene.stack.temporal.client.workflow.start('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });
  return ended(scene.stack, workflowId, history);
}

function caseOf(name: CaseName): WorkflowHandle {
  const { temporal, config } = scene.stack;
  return temporal.client.workflow.getHandle(caseId(name, config.temporal.temporalTaskQueue));
}

const refusedRows = (rows: 'claim' | 'top-up' | 'retry' | 'reminder') =>
  caseOf({ kind: 'refused-rows', rows, ids: [] });

/** A person finds the case. */
const untilFound = (handle: WorkflowHandle) =>
  until(async () => expect(await callsPerson(handle)).toBe(true));

async function untilSettled(handle: WorkflowHandle): Promise<void> {
  await handle.signal('lookAgain');
  expect(await ended(scene.stack, handle.workflowId)).toEqual({ ended: 'settled' });
}

test('one voucher that cannot expire keeps no other of its partner from expiring', async () => {
  const partner = await makePartner(scene.stack);
  const gifts = [];
  for (let count = 0; count < 5; count += 1) gifts.push(await scene.gift({ partner }));
  for (const gift of gifts) await scene.expire(gift);
  const [good, bad, ...others] = gifts;
  if (!good || !bad) throw new Error('There are no gifts');
  const mend = await breakStatement(scene.stack.database, {
    table: 'vouchers',
    on: 'update',
    when: `new.id = ${bad.id} and new.status = 'EXPIRED'`,
  });
  expect(await runExpiry()).toMatchObject({ expiredVouchers: 4, stuckPartners: 1 });
  for (const gift of [good, ...others])
    expect(await scene.voucher(gift)).toMatchObject({ status: 'EXPIRED' });
  expect(await scene.voucher(bad)).toMatchObject({ status: 'ACTIVE', remaining: '100.000000' });

  const followed = caseOf({ kind: 'due-vouchers', partnerId: partner.id, dueUntil: '' });
  await untilFound(followed);
  const details = await detailsOf(followed);
  expect(details).toContain(`1 of partner ${partner.id}`);
  // Its reserve is right.
  expect(details).toContain('log of the worker');
  await mend();
  expect(await runExpiry()).toMatchObject({ expiredVouchers: 1, stuckPartners: 0 });
  await untilSettled(followed);
});

test('one claim that cannot end keeps no other voucher locked', async () => {
  const gifts = [await scene.gift(), await scene.gift(), await scene.gift()];
  for (const gift of gifts) await scene.claimed(scene.asMerchant, gift);
  const [bad, ...good] = gifts;
  if (!bad) throw new Error('There are no gifts');
  const { current_claim_id: claimId } = await scene.voucher(bad);
  // Their own workflows end them after minutes; the expiry run finds them before.
  await sql`update voucher_claims set expires_at = now() - interval '2 minutes'
    where voucher_id = any(${gifts.map(({ id }) => id)}::bigint[])`.execute(scene.stack.database);
  const mend = await breakStatement(scene.stack.database, {
    table: 'voucher_claims',
    on: 'update',
    when: `new.id = '${claimId}' and new.status = 'EXPIRED'`,
  });
  expect(await runExpiry('expire-vouchers-refused-rows')).toMatchObject({
    expiredClaims: 2,
    refusedRows: 1,
  });
  for (const gift of good) expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  expect(await scene.voucher(bad)).toMatchObject({ status: 'REDEEM_INITIATED' });

  const followed = refusedRows('claim');
  await untilFound(followed);
  expect(await detailsOf(followed)).toContain(String(claimId));
  await mend();
  expect(await runExpiry()).toMatchObject({ expiredClaims: 1, refusedRows: 0 });
  await untilSettled(followed);
});

test('one top-up that cannot fail keeps no other one pending', async () => {
  const partner = await makePartner(scene.stack);
  const { rows: topups } = await sql<{ id: number }>`
    insert into topups (operation_id, workflow_id, request_digest, partner_id, kind, msisdn,
      exchange_rate, currency, originating_country, created_at)
    select gen_random_uuid(), 'workflow', 'digest', ${partner.id}, 'AIRTIME', 'hash.mask.k1.box', '1',
      'ETB', 'ET', now() - interval '1 hour' from generate_series(1, 6) returning id`.execute(
    scene.stack.database,
  );
  await sql`insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
      status)
    select operation_id, 'partner', partner_id, 'top-up-airtime', gen_random_uuid(), 'digest', 'RUNNING'
    from topups where id = any(${topups.map(({ id }) => id)}::bigint[])`.execute(
    scene.stack.database,
  );
  const bad = [topups[1]?.id, topups[4]?.id];
  const mend = await breakStatement(scene.stack.database, {
    table: 'topups',
    on: 'update',
    when: `new.id in (${bad.join()}) and new.status = 'FAILED'`,
  });
  const left = async () => {
    const { rows } = await sql<{ id: number }>`select id from topups
      where partner_id = ${partner.id} and status = 'PENDING' order by id`.execute(
      scene.stack.database,
    );
    return rows.map(({ id }) => id);
  };
  expect(await runExpiry()).toMatchObject({ failedTopups: 4, refusedRows: 2 });
  expect(await left()).toEqual(bad);

  const followed = refusedRows('top-up');
  await untilFound(followed);
  await mend();
  expect(await runExpiry()).toMatchObject({ failedTopups: 2, refusedRows: 0 });
  expect(await left()).toEqual([]);
  await untilSettled(followed);
});

test('one reminder that cannot be queued keeps no other owner from being told', async () => {
  await sql`update vouchers set reminded_at = now() where reminded_at is null`.execute(
    scene.stack.database,
  );
  const gifts = [];
  for (let count = 0; count < 3; count += 1)
    gifts.push(await scene.gift({ owner: newOwner('000') }));
  await sql`update vouchers set created_at = now() - interval '300 days'
    where id = any(${gifts.map(({ id }) => id)}::bigint[])`.execute(scene.stack.database);
  for (const gift of gifts) await scene.expire(gift, 3);
  const mend = await breakStatement(scene.stack.database, {
    table: 'messages',
    on: 'insert',
    when: `new.voucher_id = ${gifts[1]?.id} and new.kind = 'EXPIRY_REMINDER'`,
  });
  expect(await runExpiry()).toMatchObject({ queuedReminders: 2, refusedRows: 1 });
  const followed = refusedRows('reminder');
  await untilFound(followed);
  await mend();
  expect(await runExpiry()).toMatchObject({ queuedReminders: 1, refusedRows: 0 });
  await untilSettled(followed);
});
