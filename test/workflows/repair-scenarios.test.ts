import { afterAll, beforeAll, expect, it } from 'vitest';
import { repairWorkflowId } from '../../workflows/workflow-ids.ts';
import { consent } from '../end-to-end/repairs/repair-desk.ts';
import { type RepairScene, setRepairScene } from '../end-to-end/repairs/repair-scene.ts';
import { detailsOf } from './details-of.ts';
import { ended } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/** Every branch of repairs on the real server, recorded like those of scenarios.test.ts. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    CLAIM_LIFETIME_SECONDS: '600',
    CALLER_WAIT_SECONDS: '2',
  });
});
afterAll(() => scene?.stop());

/** Asks for a repair, and gives the end of its workflow. */
async function ran(history: string, ...asking: Parameters<RepairScene['asked']>) {
  const row = await scene.asked(...asking);
  await scene.ended(row.id);
  const workflowId = repairWorkflowId(row.id, row.operation_id);
  return { end: await ended(scene.stack, workflowId, history), workflowId };
}

const DONE = { ended: 'DONE' };

it('ends in its first step where it is a change of rows', async () => {
  const gift = await scene.gift();
  await scene.expire(gift, 30);
  const until = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  const { end, workflowId } = await ran('repair-in-step', 'extend-voucher', gift.id, { until });
  expect(end).toEqual(DONE);
  const details = await detailsOf(scene.stack.temporal.client.workflow.getHandle(workflowId));
  expect(details).toContain('**Done**: Extend the voucher');
  // Neither the reason nor the arguments, which are not encrypted there.
  expect(details).not.toContain('Ticket');
});

it('ends refused where it is not allowed any more', async () => {
  const gift = await scene.gift();
  await scene.cancel(gift);
  const row = await scene.forced('cancel-voucher', gift.id);
  const workflowId = repairWorkflowId(row.id, row.operation_id);
  expect(await ended(scene.stack, workflowId)).toEqual({ ended: 'REFUSED' });
});

it('tells the workflow of a claim that it ends', async () => {
  const { gift } = await scene.voucherIn('claimed');
  const { current_claim_id: claimId } = await scene.voucher(gift);
  const { workflowId } = await scene.claimWorkflow(claimId ?? '');
  expect((await ran('repair-claim', 'cancel-claim', gift.id)).end).toEqual(DONE);
  expect(await ended(scene.stack, workflowId, 'claim-released')).toEqual({
    ended: 'released',
  });
});

it('cancels a voucher by the workflow of cancellations', async () => {
  const { gift } = await scene.voucherIn('active');
  expect((await ran('repair-cancel-voucher', 'cancel-voucher', gift.id)).end).toEqual(DONE);
});

it('sends a code again by the workflow of messages', async () => {
  const { gift } = await scene.voucherIn('claimed');
  expect((await ran('repair-resend', 'resend-message', gift.id)).end).toEqual(DONE);
});

it('reverses a redemption by the workflow of reversals', async () => {
  const { gift } = await scene.voucherIn('redeemed');
  const { id } = await scene.redemptionOf(gift);
  expect((await ran('repair-reversal', 'reverse-redemption', id, consent)).end).toEqual(DONE);
});

it('retries a top-up by its own workflow', async () => {
  const id = await scene.topupIn('FAILED');
  const msisdn = scene.number();
  expect((await ran('repair-retry', 'retry-top-up', id, { msisdn })).end).toEqual(DONE);
});

it('settles a payment by the workflow that holds it', async () => {
  const { gift } = await scene.voucherIn('paying');
  const { id } = await scene.redemptionOf(gift);
  const decided = { outcome: 'done', reference: 'LETTER-1' };
  expect((await ran('repair-settlement', 'settle-payment', id, decided)).end).toEqual(DONE);
});
