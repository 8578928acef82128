import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setWebhookScene, type WebhookScene } from '../../end-to-end/webhooks/webhook-scene.ts';
import { until } from '../../support/until.ts';
import { hiddenFields } from '../portal/portal-client.ts';
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
  await until(async () =>
    expect(await shown()).toMatch(/Failing[\s\S]*answered 503\. Its own software failed/),
  );
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
    expect(await shown()).toMatch(/webhook\.test[\s\S]*?The receiver took it \(200\)/);
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

it.each([
  ['a good test', 'test'],
  ['the events that are sent now', 'send'],
] as const)('leaves the queue after %s, and then the figures agree', async (_name, verb) => {
  const other = await scene.another();
  let isDown = true;
  const shop = await scene.receiver((response) => {
    response.statusCode = isDown ? 404 : 200;
    response.end();
  });
  const { id } = await other.register(`${shop.url}/hooks`);
  const list = `/support/partners/${other.partnerId}/webhooks`;
  const words = async () =>
    (await agent.client.get(list)).html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  const queue = async () => (await agent.client.get('/support?kind=failing-webhook')).html;
  await other.addEvents(['voucher:1', 'voucher:2']);
  await until(async () => expect(await words()).toContain('It has nothing at this address'));
  // The next attempts are far away.
  await until(async () => {
    await scene.stack.database
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: sql<Date>`now() + interval '1 hour'` })
      .where('endpoint_id', '=', id)
      .where('status', '=', 'PENDING')
      .execute();
    expect(await words()).toMatch(
      /2 events wait, the next one after \d+ attempts?, at \d{4}-\d\d-\d\d [\d:]+ ?\./,
    );
  });
  // An event that waits for the earlier one of its voucher is not the next one.
  await other.addEvents(['voucher:1']);
  await until(async () =>
    expect(await words()).toMatch(/3 events wait, the next one after [1-9]\d* attempts?, at /),
  );
  // Nothing changes soon, so the page is not loaded again.
  expect((await agent.client.get(list)).headers.get('refresh')).toBeNull();
  expect(await queue()).toContain(`<a href="${list}">Failing webhook</a>`);
  isDown = false;
  const sent = await agent.client.submit(list, `${list}/${id}/${verb}`);
  expect(sent).toMatchObject({ status: 303, location: list });
  await until(async () =>
    expect(await queue()).not.toContain(`<a href="${list}">Failing webhook</a>`),
  );
  const waiting = verb === 'send' ? 'None waits.' : '3 events wait';
  await until(async () => expect(await words()).toContain(waiting));
  expect(await words()).toContain('The receiver took it (200).');
  const delivered = shop.received.filter(({ event }) => event.type !== 'webhook.test');
  if (verb === 'send') expect(delivered.length).toBeGreaterThanOrEqual(4);
});

it('shows the last attempt, however many events wait behind it', async () => {
  const other = await scene.another();
  const { id } = await other.register('https://partner.example/hooks');
  // An event with one attempt, then more events than the page looks at; their next attempts are far away.
  await sql`
    insert into webhook_deliveries (endpoint_id, event_number, type, subject, attempts, retry_until,
      next_attempt_at, last_attempt_at, last_problem)
    select ${id}::bigint, -number, 'voucher.expired', 'voucher:' || number,
      case number when 1 then 1 else 0 end, now() + interval '1 day',
      now() + case number when 1 then interval '2 hours' else interval '1 hour' end,
      case number when 1 then now() end, case number when 1 then 'The receiver did not answer.' end
    from generate_series(1, 300) as number`.execute(scene.stack.database);
  const list = `/support/partners/${other.partnerId}/webhooks`;
  const html = (await agent.client.get(list)).html.replaceAll(/<[^>]*>/g, ' ');
  expect(html).toContain('The receiver did not answer.');
  expect(html).toMatch(/300 events wait\./);
});

it('that was switched off is switched on by an operator, and gets what it has missed', async () => {
  const other = await scene.another();
  const shop = await scene.receiver();
  const { id } = await other.register(`${shop.url}/hooks`);
  const set = (status: 'SWITCHED_OFF' | 'DISABLED') =>
    scene.stack.database
      .updateTable('webhook_endpoints')
      .set({ status, wake_at: null })
      .where('id', '=', id)
      .execute();
  await set('SWITCHED_OFF');
  await other.addEvents(['voucher:3']);
  const list = `/support/partners/${other.partnerId}/webhooks`;
  const resume = `${list}/${id}/resume`;
  const operator = await staffClient(scene.stack, 'OPERATOR');
  expect((await agent.client.get(list)).html).not.toContain(resume);
  const fields = hiddenFields((await operator.client.get(list)).html, resume);
  // Its company has paused it meanwhile: that is for the company to end.
  await set('DISABLED');
  await operator.client.post(resume, fields);
  expect((await scene.endpoint(id)).status).toBe('DISABLED');
  await set('SWITCHED_OFF');
  expect((await operator.client.submit(list, resume)).status).toBe(303);
  await until(async () => expect(shop.received).toHaveLength(1));
});

it('that was paused is a line of its company: an operator resumes what an operator paused', async () => {
  const other = await scene.another();
  const shop = await scene.receiver();
  const { id } = await other.register(`${shop.url}/hooks`);
  const company = `/support/partners/${other.partnerId}`;
  const [list, resume] = [`${company}/webhooks`, `${company}/webhooks/${id}/resume`];
  const operator = await staffClient(scene.stack, 'OPERATOR');
  const seen = async (who: typeof agent, path = list) => (await who.client.get(path)).html;
  const pausedBy = (reason: string) =>
    scene.stack.database
      .updateTable('webhook_endpoints')
      .set({
        status: 'DISABLED',
        status_reason: reason,
        wake_at: null,
        types: ['voucher.redeemed'],
      })
      .where('id', '=', id)
      .execute();
  expect(await seen(operator, company)).not.toContain('Paused webhooks');
  await pausedBy('By portal:owner@abay.example.');
  expect(await seen(operator, company)).toContain('Paused webhooks');
  expect(await seen(operator)).toContain('voucher.redeemed');
  expect(await seen(operator)).toContain('By owner@abay.example.');
  expect(await seen(operator)).toContain('They wait until the company resumes it.');
  expect(await seen(operator)).not.toContain(resume);
  await pausedBy('By the operator.');
  expect(await seen(agent)).not.toContain(resume);
  expect((await operator.client.submit(list, resume)).status).toBe(303);
  expect((await scene.endpoint(id)).status).toBe('ACTIVE');
  expect(await seen(operator)).not.toContain('By the operator.');
});
