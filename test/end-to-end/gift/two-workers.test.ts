import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Failpoint } from '../../../src/runtime/process/failpoint.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { connectTemporal } from '../../../src/runtime/temporal/connection.ts';
import { temporalServerOf } from '../../../src/runtime/temporal/temporal-server.ts';
import { startWorker } from '../../../src/worker.ts';
import { until } from '../../support/until.ts';
import { CLAIM, type Gift, newOwner } from './gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from './redemption-scene.ts';

const STARTED = temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;

/** One worker sends the code of a claim, and another one takes the step that waits for the outcome. */
let scene: RedemptionScene;
/** Gifts from before that worker stopped, by the suffix of their owners. */
const unclaimed = new Map<string, Gift>();
beforeAll(async () => {
  // A worker starts and another one stops while a caller waits.
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '25' });
  for (const suffix of ['050', '003'])
    unclaimed.set(suffix, await scene.gift({ owner: newOwner(suffix) }));
  await scene.stack.worker.stop();
});
afterAll(() => scene?.stop());

/** A worker with a connection of its own: the SDK allows one worker of a task queue on each. */
async function aWorker(failpoint?: Failpoint) {
  const { config } = scene.stack;
  const temporal = await connectTemporal({
    ...temporalServerOf(config.temporal),
    payloadKeys: config.secrets.payloadKeys,
  });
  const worker = await startWorker(config, temporal, {
    logger: createLogger('silent', 'test'),
    ...(failpoint && { failpoint }),
  });
  return {
    async stop() {
      await worker.stop();
      await temporal.connection.close();
    },
  };
}

/** Holds a sending until it is let go. */
function createGate() {
  let begin = () => {};
  let open = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const failpoint: Failpoint = async (step) => {
    if (step !== 'claim-sending') return;
    begin();
    await opened;
  };
  return { failpoint, begun, open: () => open() };
}

/** Waits until a worker has the step that sends the message, or has ended it. */
async function untilTakenByTheOther(gift: Gift): Promise<void> {
  const { workflow_id } = await scene.stack.database
    .selectFrom('voucher_claims')
    .select('workflow_id')
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  const handle = scene.stack.temporal.client.workflow.getHandle(workflow_id ?? '');
  await until(async () => {
    const { events } = await handle.fetchHistory();
    const steps = events?.flatMap(
      ({ activityTaskScheduledEventAttributes: step }) => step?.activityType?.name ?? [],
    );
    expect(steps).toContain('sendMessage');
    const { raw } = await handle.describe();
    expect((raw.pendingActivities ?? []).every(({ state }) => state === STARTED)).toBe(true);
  });
}

/** A claim whose message the first worker sends while it stops; its answer. */
async function claimedWhileStopping(gift: Gift) {
  const gate = createGate();
  const first = await aWorker(gate.failpoint);
  const claiming = scene.asMerchant.post(CLAIM, {
    idempotencyKey: `claim-${gift.id}`,
    voucherCode: gift.voucherCode,
  });
  await gate.begun;
  const second = await aWorker();
  const stopping = first.stop();
  try {
    await untilTakenByTheOther(gift);
    gate.open();
    return await claiming;
  } finally {
    gate.open();
    await stopping;
    await second.stop();
  }
}

const messageOf = ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('messages')
    .select(['status', 'provider', 'provider_reference'])
    .where('voucher_id', '=', id)
    .executeTakeFirstOrThrow();

const received = ({ owner }: Gift) => scene.stack.sandbox.books.messages(owner ?? '');

describe('the outcome of a code that the first worker sent', () => {
  test('accepted: the message has its reference, and is sent once', async () => {
    const gift = giftOf('050');
    expect((await claimedWhileStopping(gift)).status).toBe(200);
    expect(received(gift)).toHaveLength(1);
    expect(await messageOf(gift)).toMatchObject({
      status: 'SENT',
      provider: 'africas-talking',
      provider_reference: expect.stringMatching(/./),
    });
  });

  test('refused: the claim is taken back', async () => {
    const gift = giftOf('003');
    expect((await claimedWhileStopping(gift)).body).toMatchObject({ statusCode: 5003 });
    expect(await messageOf(gift)).toMatchObject({ status: 'REFUSED' });
    expect((await scene.voucher(gift)).status).toBe('ACTIVE');
  });
});

function giftOf(suffix: string): Gift {
  return unclaimed.get(suffix) ?? expect.unreachable();
}
