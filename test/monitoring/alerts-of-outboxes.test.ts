import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addWebhook } from '../../src/db/webhooks/endpoints.ts';
import type { outboxes } from '../../src/runtime/metrics/definitions.ts';
import { commandsOn } from '../admin/scene.ts';
import { numberSettingsOf } from '../end-to-end/privacy/stored-numbers.ts';
import { createRepairDesk } from '../end-to-end/repairs/repair-desk.ts';
import { invitationsOn } from '../pages/portal/invitation-scene.ts';
import { makeAccount } from '../pages/portal/portal-client.ts';
import { staffClient } from '../pages/staff/staff-client.ts';
import { until } from '../support/until.ts';
import { alertProofs } from './alert-proofs.ts';
import type { Scrapes } from './firing-alerts.ts';
import { type MonitoredScene, setMonitoredScene } from './monitored-scene.ts';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.ts';

const { allHaveFired, expectAlert, expectAlerts, expectNoAlert } =
  alertProofs('alerts-of-outboxes');

/** Workers look only at their start for what people have asked for: an interval by mistake. */
const settings = { WORKER_PICKUP_SECONDS: '3600', REPAIR_CONFIRM_FROM: '400' };

let scene: MonitoredScene;
beforeAll(async () => {
  await findPromtool();
  scene = await setMonitoredScene(settings);
}, PROMTOOL_LIMIT_MS);
afterAll(() => scene?.gifts.stop());

const commands = () =>
  commandsOn({
    DATABASE_URL: scene.gifts.stack.urlFor('operator'),
    REPAIR_CONFIRM_FROM: settings.REPAIR_CONFIRM_FROM,
    ...numberSettingsOf(scene.gifts.stack),
  });

const why = ['--why', 'Ticket 4711'];

test('events that no worker numbers', async () => {
  let stuck: Scrapes | undefined;
  // As a session does that holds the lock and does nothing.
  await scene.whileLocked('select pg_advisory_xact_lock(4127061110::bigint)', async () => {
    await scene.gifts.gift();
    await sleep(600);
    stuck = await scene.during(async () => {});
  });
  if (!stuck) throw new Error('Nothing was read');
  await expectAlerts(stuck, 20, ['OutboxStuck']);
});

test('events that no worker makes deliveries of', async () => {
  const { stack, partner } = scene.gifts;
  const webhook = { url: 'https://shop.example', description: '', types: null, createdBy: 'test' };
  await stack.database
    .transaction()
    .execute((transaction) =>
      addWebhook(transaction, { ...webhook, company: { kind: 'partner', id: partner.id } }),
    );
  let stuck: Scrapes | undefined;
  await scene.whileLocked('select pg_advisory_xact_lock(4127061120::bigint)', async () => {
    await scene.gifts.gift();
    await until(async () =>
      expect(await scene.value('outbox_waiting', { outbox: 'webhooks' })).toBe(1),
    );
    stuck = await scene.during(() => sleep(600));
    await sql`update webhook_endpoints set status = 'REMOVED'`.execute(stack.database);
  });
  if (!stuck) throw new Error('Nothing was read');
  await expectAlerts(stuck, 20, ['OutboxStuck']);
});

test('a repair that waits for a second person, until one has confirmed or declined it', async () => {
  const gift = await scene.gifts.gift({ denomination: 500 });
  const desk = await createRepairDesk(scene.gifts.stack);
  const asked = await scene.during(() => desk.asked('cancel-voucher', gift.id));
  expect(await scene.value('repairs_to_confirm')).toBe(1);
  await expectAlerts(asked, 15, ['RepairsToConfirm']);
  const { client } = await staffClient(scene.gifts.stack, 'SUPERVISOR');
  const [{ id }] = await commands().json('desk repair list --state ASKED');
  const declined = await scene.during(async () => {
    const page = `/support/repairs/${id}`;
    const answer = await client.submit(page, `${page}/decline`, { why: 'Ticket 4711' });
    expect(answer.status).toBeLessThan(400);
  });
  await expectNoAlert(declined, 15, 'RepairsToConfirm');
});

test('what people asked for, and no worker takes up', async () => {
  const { stack, partner } = scene.gifts;
  const waits = (outbox: keyof typeof outboxes) => scene.value('outbox_waiting', { outbox });
  await makeAccount(stack, { kind: 'partner', id: partner.id });
  const invitations = invitationsOn(stack);
  const asks: Partial<Record<keyof typeof outboxes, () => Promise<unknown>>> = {
    repairs: async () =>
      commands().json(['voucher', 'cancel', String((await scene.gifts.gift()).id), ...why]),
    invitations: async () => invitations.invite((await invitations.newMerchant()).id),
    'access-notices': () =>
      commands().json(`access address add 203.0.113.9 --partner ${partner.id}`),
  };
  for (const [outbox, ask] of Object.entries(asks) as [keyof typeof outboxes, () => never][]) {
    await expectNoAlert(await scene.during(async () => {}), 5, 'OutboxStuck');
    await ask();
    // An invitation goes out by SMS and by e-mail.
    const messages = outbox === 'invitations' ? 2 : 1;
    await until(async () => expect(await waits(outbox), outbox).toBe(messages));
  }
  await expectAlert(await scene.during(() => sleep(300)), 20, 'OutboxStuck');
  for (const outbox of Object.keys(asks))
    expect(await scene.value('outbox_oldest_seconds', { outbox }), outbox).toBeGreaterThan(0);
});

allHaveFired();
