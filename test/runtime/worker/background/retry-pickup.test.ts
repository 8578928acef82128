import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestRetry } from '../../../../src/db/operator-commands.ts';
import type { OperatorRetries } from '../../../../src/runtime/worker/background/operator-retries.ts';
import { createRetryPickup } from '../../../../src/runtime/worker/background/retry-pickup.ts';
import { topUp } from '../../../admin/movements.ts';
import { type AdminScene, makeCatalogue, openScene } from '../../../admin/scene.ts';

let scene: AdminScene;
let partnerId: number;
beforeAll(async () => {
  scene = await openScene();
  ({ partnerId } = await makeCatalogue(scene));
  await scene.json(`deposit --partner ${partnerId} --wallet airtime --amount 1000`);
});
afterAll(() => scene?.close());

/** An operator's retry of a failed top-up; the id of the top-up. */
async function written(): Promise<number> {
  const topupId = await topUp(scene.database, partnerId, '50', { ending: 'FAILED' });
  await scene.database
    .transaction()
    .execute((transaction) =>
      requestRetry(transaction, { actor: 'hanna', topup_id: topupId, attempt: 2 }),
    );
  return topupId;
}

it('a workflow that takes no retry keeps no other one waiting', async () => {
  const [hanging, ...others] = [await written(), await written(), await written()];
  const sent: number[] = [];
  const retries = {
    send: async ({ topup_id: topupId }: { readonly topup_id: number }) => {
      sent.push(topupId);
      if (topupId === hanging) throw new Error('it does not answer');
    },
  } as unknown as OperatorRetries;
  const logger = pino({ level: 'silent' });
  const { database } = scene;
  const pickup = createRetryPickup({ database, retries, logger, intervalMs: 20 });
  try {
    await expect.poll(() => sent.filter((id) => id === hanging).length).toBeGreaterThan(2);
    expect(sent.filter((id) => id !== hanging)).toEqual(others);
  } finally {
    await pickup.stop();
  }
});
