import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPortalAccount } from '../../src/db/people/accounts.ts';
import { removeWebhook, setWebhookStatus } from '../../src/db/webhooks/endpoints.ts';
import { webhookDue } from '../../workflows/contracts.ts';
import { deliverWebhooksId } from '../../workflows/workflow-ids.ts';
import { setWebhookScene, type WebhookScene } from '../end-to-end/webhooks/webhook-scene.ts';
import { until } from '../support/until.ts';
import { detailsOf } from './details-of.ts';
import { ended as endedIn } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/** Of `PendingActivityState` in Temporal's API. */
const PENDING_ACTIVITY_STARTED = 2;

/** Every branch of deliver-webhooks on the real server; see scenarios.test.ts. */
let scene: WebhookScene;
/** Another, which gives up soon. */
let impatient: WebhookScene;

beforeAll(async () => {
  scene = await setWebhookScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS });
  impatient = await setWebhookScene({
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    WEBHOOK_RETRY_SECONDS: '0.5',
    WEBHOOK_SWITCH_OFF_SECONDS: '3',
  });
});
afterAll(async () => {
  await scene?.stop();
  await impatient?.stop();
});

const workflowOf = ({ stack }: WebhookScene, endpointId: number) =>
  deliverWebhooksId(endpointId, stack.config.temporal.temporalTaskQueue);

const handleOf = (of: WebhookScene, endpointId: number) =>
  of.stack.temporal.client.workflow.getHandle(workflowOf(of, endpointId));

const failing = (of: WebhookScene) =>
  of.receiver((response) => response.writeHead(503).end('out of order'));

describe('deliver-webhooks', () => {
  it('ends when nothing waits, after a failure too', async () => {
    let answers = 0;
    const shop = await scene.receiver((response) => {
      answers += 1;
      response.writeHead(answers === 1 ? 503 : 200).end();
    });
    const { id } = await scene.register(`${shop.url}/secret?key=1`);
    await scene.addEvents(['voucher:1', 'voucher:2']);
    await until(() => expect(shop.received.length).toBeGreaterThan(0));
    const result = await endedIn(scene.stack, workflowOf(scene, id), 'deliver-webhooks');
    expect(result).toEqual({ ended: 'nothing-due' });
    const details = await detailsOf(handleOf(scene, id));
    expect(details).toContain(new URL(shop.url).host);
    expect(details).not.toContain('key=1');
  });

  it('ends when the webhook is paused or removed', async () => {
    const shop = await failing(scene);
    const { id } = await scene.register(shop.url);
    await scene.addEvents(['voucher:1']);
    await until(() => expect(shop.received.length).toBeGreaterThan(0));
    await scene.stack.database.transaction().execute(async (transaction) => {
      await setWebhookStatus(transaction, id, 'DISABLED', 'test');
      await removeWebhook(transaction, id);
    });
    const result = await endedIn(scene.stack, workflowOf(scene, id));
    expect(result).toEqual({ ended: 'not-active' });
  });

  it('looks once more when it is told of a resumption before it has ended', async () => {
    const { stack } = scene;
    const { client } = stack.temporal;
    const { id } = await scene.register((await scene.receiver()).url);
    await stack.database
      .transaction()
      .execute((transaction) => setWebhookStatus(transaction, id, 'DISABLED', 'test'));
    const workflowId = workflowOf(scene, id);
    await stack.database.transaction().execute(async (transaction) => {
      // The step of the workflow waits here, while it is told.
      await sql`lock table webhook_endpoints in access exclusive mode`.execute(transaction);
      const { config } = stack;
      await client.workflow.start('deliverWebhooks', {
        workflowId,
        taskQueue: config.temporal.temporalTaskQueue,
        args: [{ endpointId: id }],
      });
      const handle = client.workflow.getHandle(workflowId);
      await until(async () =>
        expect((await handle.describe()).raw.pendingActivities).toMatchObject([
          { state: PENDING_ACTIVITY_STARTED },
        ]),
      );
      await handle.signal(webhookDue);
    });
    const result = await endedIn(stack, workflowId, 'deliver-webhooks-resumed-while-ending');
    expect(result).toEqual({ ended: 'not-active' });
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const rounds = events?.filter((event) => event.activityTaskScheduledEventAttributes);
    expect(rounds).toHaveLength(2);
  });

  it('gives an event up, switches a failing webhook off, and tells its people', async () => {
    const { stack, company } = impatient;
    const email = 'owner@webhooks.example';
    await addPortalAccount(stack.database, {
      email,
      company,
      password: { hash: 'of no password', mustChange: false },
    });
    const shop = await failing(impatient);
    const { id } = await impatient.register(`${shop.url}/secret`);
    await impatient.addEvents(['voucher:1']);
    await until(async () =>
      expect(await impatient.deliveries(id)).toMatchObject([
        { status: 'FAILED', last_status_code: 503, last_answer: 'out of order' },
      ]),
    );
    const hold = setInterval(() => impatient.addEvents(['voucher:2']), 200);
    try {
      await until(async () =>
        expect(await impatient.endpoint(id)).toMatchObject({
          status: 'SWITCHED_OFF',
          status_reason: expect.stringContaining('Every attempt has failed since'),
        }),
      );
    } finally {
      clearInterval(hold);
    }
    const result = await endedIn(stack, workflowOf(impatient, id), 'deliver-webhooks-switched-off');
    expect(result).toEqual({ ended: 'not-active' });
    // The outbox sends beside the workflow, and a repeated attempt repeats the Message-ID.
    await until(async () => {
      const mails = await fetch(`${stack.sandbox.url}/mails?to=${encodeURIComponent(email)}`);
      const received = (await mails.json()) as { messageId: string }[];
      const byId = new Map(received.map((mail) => [mail.messageId, mail]));
      expect([...byId.values()]).toMatchObject([
        {
          subject: 'A webhook was switched off',
          text: expect.stringContaining('/portal/webhooks'),
        },
      ]);
    });
    // A late event may have started the workflow once more.
    await until(async () =>
      expect(await detailsOf(handleOf(impatient, id))).toContain('Switched off'),
    );
  });
});
