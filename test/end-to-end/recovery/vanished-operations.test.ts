import { randomUUID } from 'node:crypto';
import type { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FailpointName } from '../../../src/runtime/process/failpoint.ts';
import { backUp } from '../../support/restore.ts';
import { until } from '../../support/until.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { done } from '../gift/gift-scene.ts';
import { redeemToEnd } from '../gift/redemption-scene.ts';
import { type RepairScene, setRepairScene } from '../repairs/repair-scene.ts';

/** Workflows whose rows are taken back in the middle of a step end, and call a person. */
let scene: RepairScene;
/** The step that does not go on, and whether it was reached. */
let stopped: FailpointName | undefined;
let isReached = false;
beforeAll(async () => {
  scene = await setRepairScene(
    { CALLER_WAIT_SECONDS: '1' },
    {
      failpoint(name) {
        if (name !== stopped) return undefined;
        isReached = true;
        // A step in a transaction must end before its rows can be taken back.
        if (!name.endsWith('-sent')) throw new Error('stopped by a test');
        return until(() => expect(stopped).toBeUndefined());
      },
    },
  );
});
afterAll(() => scene?.stop());

type Row = readonly [
  name: string,
  type: string,
  step: FailpointName,
  prepare: () => Promise<() => Promise<unknown>>,
];

const rows: readonly Row[] = [
  [
    'reversal',
    'reverseRedemption',
    'reverse-sent',
    async () => {
      const { merchant, client } = await scene.payee('merchant');
      const gift = await scene.gift({ merchant, owner: null });
      done(await redeemToEnd(client, gift));
      const { id } = await scene.stack.database
        .selectFrom('redemptions')
        .select('id')
        .where('voucher_id', '=', gift.id)
        .executeTakeFirstOrThrow();
      return () => client.post(`/redemptions/${id}/reverse`, { idempotencyKey: randomUUID() });
    },
  ],
  [
    'resend',
    'resendMessage',
    'claim-sent',
    async () => {
      const gift = await scene.gift();
      await scene.claimed(scene.asMerchant, gift);
      return () => scene.asPartner.post(`/vouchers/${gift.id}/resend`, {});
    },
  ],
  [
    'bulk order',
    'generateBulk',
    'bulk-begun',
    async () => () =>
      scene.asPartner.post('/vouchers/bulk', {
        lines: [
          {
            reference: randomUUID(),
            denominationId: scene.partner.denominations[100],
            merchantId: scene.merchant.id,
            msisdn: '+251911234567',
          },
        ],
      }),
  ],
  [
    'repair',
    'repair',
    'repair-begin-committed',
    async () => {
      const gift = await scene.gift();
      return () => scene.ask('cancel-voucher', gift.id);
    },
  ],
];

test.each(rows)('a %s', async (_name, type, step, prepare) => {
  const send = await prepare();
  const restore = await backUp(scene.stack.database);
  isReached = false;
  stopped = step;
  // Its caller would wait for as long as callers may: the outcome stays open.
  send().catch(() => undefined);
  await until(() => expect(isReached).toBe(true));
  const handle = await only(type);
  await restore();
  stopped = undefined;

  const failure = (await handle.result().catch((error: unknown) => error)) as WorkflowFailedError;
  expect(failure).toMatchObject({ cause: { type: 'NeedsAction' } });
  expect(await callsPerson(handle)).toBe(true);
});

/** The workflow of a type that runs. */
const only = (type: string) =>
  until(async () => {
    const { temporal, config } = scene.stack;
    const query = `TaskQueue = "${config.temporal.temporalTaskQueue}" and ExecutionStatus = "Running"
      and WorkflowType = "${type}"`;
    // This run: the API tries its start again once the rows are gone, which begins another one.
    for await (const { workflowId, runId } of temporal.client.workflow.list({ query }))
      return temporal.client.workflow.getHandle(workflowId, runId);
    throw new Error(`No ${type} runs`);
  });
