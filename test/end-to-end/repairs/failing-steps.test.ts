import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { providerNudge } from '../../../workflows/contracts.ts';
import { repairWorkflowId } from '../../../workflows/workflow-ids.ts';
import { until } from '../../support/until.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { redeem } from '../gift/redemption-scene.ts';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/** Repairs of short claims, by a worker that has the rights of its role and loses some of them. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({ CLAIM_LIFETIME_SECONDS: '2' });
});
afterAll(() => scene?.stop());

/** Takes a right from the worker; the result gives it back. */
async function withoutRight(right: 'insert' | 'update', table: string) {
  const { database } = scene.stack;
  const { rows } = await sql<{ worker: string }>`
    select distinct grantee as worker from information_schema.role_column_grants
    where table_name = ${table} and privilege_type = ${right.toUpperCase()}
      and grantee like '%\\_worker'`.execute(database);
  const worker = sql.ref(rows[0]?.worker ?? '');
  await sql`revoke ${sql.raw(right)} on ${sql.table(table)} from ${worker}`.execute(database);
  return () => sql`grant ${sql.raw(right)} on ${sql.table(table)} to ${worker}`.execute(database);
}

it('extend-claim: the code pays after the time that the claim had, and its workflow knows', async () => {
  const { client, merchant } = await scene.payee('merchant');
  // Claims live so shortly here that one may be over before its repair.
  const { gift, verificationCode, claim } = await until(async () => {
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const claim = await scene.stack.database
      .selectFrom('voucher_claims')
      .select(['id', 'expires_at'])
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    scene.expectDone(await scene.repaired('extend-claim', gift.id, { minutes: '10' }));
    return { gift, verificationCode, claim };
  });
  const workflow = await scene.claimWorkflow(claim.id);
  // The workflow has waited until the end that the claim had, and found another one.
  await until(async () => {
    expect(Date.now()).toBeGreaterThan(claim.expires_at.getTime());
    const { events } = await workflow.fetchHistory();
    expect(events?.some((event) => event.timerFiredEventAttributes)).toBe(true);
  });
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
  expect((await redeem(client, gift, { verificationCode })).status).toBe(200);
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
});

it('a missing right refuses a repair, and nothing of it is done', async () => {
  const gift = await scene.gift();
  await scene.expire(gift, 30);
  const day = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  const before = await scene.voucher(gift);
  const giveBack = await withoutRight('update', 'vouchers');
  const row = await scene.repaired('extend-voucher', gift.id, { until: day });
  await giveBack();
  expect(row.state).toBe('REFUSED');
  expect(await scene.voucher(gift)).toEqual(before);
});

it('where not even its end can be written, a person is called, and it goes on when that is mended', async () => {
  const gift = await scene.gift();
  await scene.expire(gift, 30);
  const day = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  const giveBack = await withoutRight('insert', 'audit_log');
  const row = await scene.asked('extend-voucher', gift.id, { until: day });
  const workflow = scene.stack.temporal.client.workflow.getHandle(
    repairWorkflowId(row.id, row.operation_id),
  );
  await until(async () => expect(await callsPerson(workflow)).toBe(true));
  expect((await findRepair(scene.stack.database, row.id))?.state).toBe('READY');
  await giveBack();
  await workflow.signal(providerNudge);
  scene.expectDone(await scene.ended(row.id));
  expect(await workflow.result()).toEqual({ ended: 'DONE' });
  await until(async () => expect(await callsPerson(workflow)).toBe(false));
});
