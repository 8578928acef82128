import type { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deposit } from '../../support/companies.ts';
import { backUp } from '../../support/restore.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { sale } from '../topups/topup-scene.ts';

/** Workflows that run while their rows are taken back end, and call a person. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS });
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '1000', 'airtime');
});
afterAll(() => scene?.stop());

/** The runs of this stack: the API tries a start again once its rows are gone, which begins another one. */
async function running() {
  const { temporal, config } = scene.stack;
  const found: { readonly workflowId: string; readonly runId: string }[] = [];
  const query = `TaskQueue = "${config.temporal.temporalTaskQueue}" and ExecutionStatus = "Running"`;
  for await (const { workflowId, runId, type } of temporal.client.workflow.list({ query }))
    if (type === 'redeemVoucher' || type === 'topup') found.push({ workflowId, runId });
  return found;
}

test.each([
  [
    'redemption',
    async () => {
      const { merchant } = await scene.payee('partner', { payoutSuffix: '014' });
      const gift = await scene.gift({ merchant, owner: null });
      return () => redeem(scene.asPartner, gift, { amount: 40 });
    },
  ],
  [
    'top-up',
    async () => () =>
      scene.asPartner.post('/topup-transactions/airtime-topup', {
        amount: 50,
        msisdn: '+251911778014',
        ...sale,
      }),
  ],
] as const)('a %s', async (name, prepare) => {
  const send = await prepare();
  const restore = await backUp(scene.stack.database);
  // Its caller would wait for as long as callers may: the outcome stays open.
  send().catch(() => undefined);
  const { workflowId, runId } = await until(async () => {
    const [only, ...others] = await running();
    expect(others).toEqual([]);
    if (!only) throw new Error('None runs');
    return only;
  });
  await until(async () => expect(await hasRows(name)).toBe(true));
  await restore();

  const failure = await ended(scene.stack, workflowId, `vanished-rows-${name}`, runId);
  expect(failure).toMatchObject({ cause: { type: 'NeedsAction' } });
  // Support staff see where it ended.
  expect((failure as WorkflowFailedError).cause?.stack).toContain(
    'workflows/interceptors/vanished-rows.ts',
  );
  const handle = scene.stack.temporal.client.workflow.getHandle(workflowId, runId);
  expect(await callsPerson(handle)).toBe(true);
});

/** Whether the rows of the workflow were written, so that the restore takes them back. */
async function hasRows(name: 'redemption' | 'top-up'): Promise<boolean> {
  const { database } = scene.stack;
  const found =
    name === 'redemption'
      ? database.selectFrom('redemptions').select('id').where('status', '=', 'HELD')
      : database.selectFrom('topups').select('id').where('status', '=', 'UNKNOWN');
  return (await found.execute()).length > 0;
}
