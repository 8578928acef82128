import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readPayloadKeys } from '../../src/config/config.ts';
import type { FailpointName } from '../../src/runtime/process/failpoint.ts';
import { createDataConverter } from '../../src/runtime/temporal/connection.ts';
import { merchantClient, partnerClient } from '../support/clients.ts';
import { makeMerchant, makePartner } from '../support/companies.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/** Steps that wait until they are let go. */
const stopped = new Map<FailpointName, Promise<void>>();

let stack: Stack;
beforeAll(async () => {
  const settings = {
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    CALLER_WAIT_SECONDS: '20',
    CLAIM_LIFETIME_SECONDS: '1',
  };
  stack = await startStack(settings, { failpoint: async (step) => stopped.get(step) });
});
afterAll(() => stack?.stop());

function stopAt(step: FailpointName): () => void {
  let letGo = () => {};
  stopped.set(step, new Promise<void>((resolve) => (letGo = resolve)));
  return letGo;
}

/**
 * A replay delivers the ends of all steps of one workflow task together. Steps that overlap could
 * then continue in another order, and no worker could take the workflow over.
 */
it('two steps in the database that are under way at the same time can be replayed', async () => {
  const partner = await makePartner(stack);
  const asPartner = await partnerClient(stack, partner);
  const merchant = await makeMerchant(stack);
  const asMerchant = await merchantClient(stack, merchant);
  const generated = await asPartner.post('/topup-transactions/generate-voucher', {
    denominationId: partner.denominations[100],
    merchantId: merchant.id,
    msisdn: '+251911000100',
  });
  const voucherCode: string = generated.body.data.voucher.voucherCode;

  const letClaimGo = stopAt('claim-confirmed');
  const claiming = asMerchant.post('/topup-transactions/initiate-claim', { voucherCode });
  const { workflow_id } = await until(() =>
    stack.database.selectFrom('voucher_claims').select('workflow_id').executeTakeFirstOrThrow(),
  );
  const handle = stack.temporal.client.workflow.getHandle(workflow_id ?? '');

  // Refused, because only who made the claim may redeem it.
  const letRedemptionGo = stopAt('redeem-begun');
  const redeeming = asPartner.post('/topup-transactions/redeem-gift', {
    voucherCode,
    verificationCode: '000000',
  });
  await until(async () => expect(await tasksAfterUpdate(handle, 2)).toBeGreaterThanOrEqual(1));
  letRedemptionGo();
  // Where it need not wait for the claim's step, it ends before that.
  await sleep(1_000);
  letClaimGo();
  expect((await claiming).status).toBe(200);
  expect((await redeeming).status).toBe(403);

  await handle.result();
  await Worker.runReplayHistory(
    {
      workflowBundle: { codePath: inject('workflowBundlePath') },
      dataConverter: createDataConverter(readPayloadKeys(TEST_PAYLOAD_KEYS)),
    },
    await handle.fetchHistory(),
    handle.workflowId,
  );
});

/** How many workflow tasks have begun since the workflow accepted so many updates. */
async function tasksAfterUpdate(
  handle: ReturnType<Stack['temporal']['client']['workflow']['getHandle']>,
  updates: number,
): Promise<number> {
  const { events } = await handle.fetchHistory();
  let accepted = 0;
  let tasks = 0;
  for (const event of events ?? []) {
    if (event.workflowExecutionUpdateAcceptedEventAttributes) accepted += 1;
    if (accepted >= updates && event.workflowTaskStartedEventAttributes) tasks += 1;
  }
  return tasks;
}
