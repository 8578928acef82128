import { afterAll, beforeAll, expect, it } from 'vitest';
import { setWebhookScene, type WebhookScene } from '../../end-to-end/webhooks/webhook-scene.ts';
import { until } from '../../support/until.ts';
import { staffClient } from './staff-client.ts';

/** The webhooks of a company on its page at /support. */
let scene: WebhookScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let page: string;

beforeAll(async () => {
  scene = await setWebhookScene();
  agent = await staffClient(scene.stack);
  page = `/support/partners/${scene.partner.id}`;
});
afterAll(() => scene?.stop());

const shown = async (): Promise<string> => (await agent.client.get(`${page}/webhooks`)).html;

it('are shown by their hosts, with the last error and without what a server said', async () => {
  const shop = await scene.receiver((response) => {
    response.statusCode = 503;
    response.end('the secret of the shop');
  });
  const { secret } = await scene.register(`${shop.url}/hooks?key=of-the-shop`);
  expect(await shown()).toContain(new URL(shop.url).host);
  await scene.addEvents(['voucher:1']);
  await until(async () => expect(await shown()).toMatch(/Failing[\s\S]*<strong>503<\/strong>/));
  const html = await shown();
  for (const hidden of [secret, 'of-the-shop', '/hooks', 'the secret of the shop'])
    expect(html).not.toContain(hidden);
});

it('get a test event, whose answer appears, and the audit log says who sent it', async () => {
  const shop = await scene.receiver();
  const { id } = await scene.register(`${shop.url}/hooks`);
  const test = `${page}/webhooks/${id}/test`;
  const answer = await agent.client.submit(`${page}/webhooks`, test);
  expect(answer).toMatchObject({ status: 303, location: `${page}/webhooks` });
  await until(async () => {
    expect(shop.received).toHaveLength(1);
    expect(await shown()).toMatch(/webhook\.test[\s\S]*?<strong>200<\/strong>/);
  });
  const entry = await scene.stack.database
    .selectFrom('audit_log')
    .select(['actor', 'subject_kind', 'subject_id', 'details'])
    .where('action', '=', 'test webhook')
    .executeTakeFirstOrThrow();
  expect(entry).toMatchObject({
    actor: `staff:${agent.account.id}`,
    subject_kind: 'partner',
    subject_id: scene.partner.id,
    details: { webhookId: id },
  });
});

it('of another company are not tested from here', async () => {
  const other = await scene.another();
  const shop = await scene.receiver();
  const { id } = await other.register(`${shop.url}/hooks`);
  const own = await scene.register(`${shop.url}/own`);
  const { html } = await agent.client.get(`${page}/webhooks`);
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const answer = await agent.client.post(`${page}/webhooks/${id}/test`, { token });
  expect(answer.status).toBe(404);
  expect(html).toContain(`${page}/webhooks/${own.id}/test`);
});
