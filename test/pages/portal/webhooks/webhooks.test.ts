import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_EVENT_TYPE } from '../../../../src/domain/events.ts';
import {
  isSigned,
  setWebhookScene,
  type WebhookScene,
} from '../../../end-to-end/webhooks/webhook-scene.ts';
import { makeMerchant, makePartner } from '../../../support/companies.ts';
import { until } from '../../../support/until.ts';
import { type Account, makeAccount, type PortalClient, signedIn } from '../portal-client.ts';

let scene: WebhookScene;
let account: Account;
let client: PortalClient;

beforeAll(async () => {
  scene = await setWebhookScene();
  account = await makeAccount(scene.stack, scene.company);
  client = await signedIn(scene.stack, account);
});
afterAll(() => scene?.stop());

const PAGE = '/portal/webhooks';

const secretIn = (html: string) => /value="(whsec_[^"]+)"/.exec(html)?.[1] ?? '';

const add = (
  fields: Record<string, string>,
  { browser = client, password = account.password } = {},
) => browser.submit(PAGE, PAGE, { password, ...fields });

/** Adds a webhook as people do; returns its id and its secret. */
async function added(url: string, fields: Record<string, string> = {}) {
  const { html, status } = await add({ url, ...fields });
  expect(status).toBe(200);
  const id = Number(/\/portal\/webhooks\/(\d+)/.exec(html)?.[1]);
  return { id, secret: secretIn(html), path: `${PAGE}/${id}` };
}

const auditOf = (action: string) =>
  scene.stack.database
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', action)
    .where('subject_id', '=', scene.company.id)
    .execute();

describe('a webhook', () => {
  it('is added after the password, and its secret is shown once', async () => {
    const shop = await scene.receiver();
    const { id, secret, path } = await added(`${shop.url}/hooks`, {
      description: 'Web <shop>',
      'type-topup.failed': 'on',
      'type-payout.completed': 'on',
    });
    expect(secret).toMatch(/^whsec_/);
    // A partner gets no payouts, so the form has no such type.
    expect(await scene.endpoint(id)).toMatchObject({
      types: ['topup.failed'],
      created_by: `portal:${account.email}`,
    });
    for (const page of [PAGE, path]) {
      const { html } = await client.get(page);
      expect(html).toContain(`${shop.url}/hooks`);
      expect(html).toContain('Web &lt;shop&gt;');
      expect(html).not.toContain(secret);
    }
    const entries = await auditOf('add webhook');
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain('whsec_');
  });

  it.each([
    ['a wrong password', { url: 'https://a.example/', password: 'wrong' }, 'current password'],
    ['an address of ftp', { url: 'ftp://a.example/' }, 'must begin with https://'],
    ['a password in the address', { url: 'https://a:b@a.example/' }, 'user name'],
    ['two lines', { url: 'https://a.example/', description: 'a\u0007b' }, 'one line'],
  ])('is not added with %s', async (_what, fields, problem) => {
    const { status, html } = await add(fields);
    expect(status).toBe(422);
    expect(html).toContain(problem);
    expect(html).toContain(fields.url.replace('&', '&amp;'));
  });

  it('gets a test event, whose answer the page shows', async () => {
    const shop = await scene.receiver((response) => response.writeHead(202).end('<b>thanks</b>'));
    const { secret, path } = await added(shop.url);
    const sent = await client.submit(path, `${path}/test`);
    expect(sent.location).toBe(path);
    await until(async () => expect((await client.get(path)).html).toContain('Delivered'));
    const { html } = await client.get(path);
    expect(html).toContain('<strong>202</strong>');
    expect(html).toContain('&lt;b&gt;thanks&lt;/b&gt;');
    const [got] = shop.received;
    expect(got && isSigned(got, secret)).toBe(true);
  });

  it('is paused, resumed, rotated and removed', async () => {
    const shop = await scene.receiver();
    const { id, secret, path } = await added(shop.url);
    await client.submit(path, `${path}/pause`);
    expect((await client.get(PAGE)).html).toContain('Paused');
    await scene.addEvents(['voucher:1']);
    await client.submit(path, `${path}/resume`);
    await until(() => expect(shop.received).toHaveLength(1));

    const refused = await client.submit(`${path}/rotate`, `${path}/rotate`, { password: 'wrong' });
    expect(refused.status).toBe(422);
    const { html } = await client.submit(`${path}/rotate`, `${path}/rotate`, {
      password: account.password,
    });
    const next = secretIn(html);
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    await scene.addEvents(['voucher:2']);
    await until(() => expect(shop.received).toHaveLength(2));
    const got = shop.received[1];
    expect(got && [isSigned(got, secret), isSigned(got, next)]).toEqual([true, true]);

    const removed = await client.submit(`${path}/remove`, `${path}/remove`);
    expect(removed.location).toBe(PAGE);
    expect((await client.get(path)).status).toBe(404);
    expect((await scene.endpoint(id)).status).toBe('REMOVED');
    for (const action of ['pause', 'resume', 'rotate', 'remove'])
      expect(
        await auditOf(action === 'rotate' ? 'rotate webhook-secret' : `${action} webhook`),
      ).not.toEqual([]);
  });

  it('sends again what is asked for', async () => {
    const shop = await scene.receiver();
    const { id, path } = await added(shop.url);
    await scene.addEvents(['voucher:1', 'voucher:2']);
    await until(async () =>
      expect((await scene.deliveries(id)).map(({ status }) => status)).toEqual([
        'DELIVERED',
        'DELIVERED',
      ]),
    );
    const [first] = await scene.deliveries(id);
    const { html } = await client.get(path);
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const again = (fields: Record<string, string>) =>
      client.post(`${path}/send-again`, { token, ...fields });
    await again({ delivery: String(first?.id) });
    await until(() => expect(shop.received).toHaveLength(3));
    await until(async () =>
      expect((await scene.deliveries(id)).map(({ status }) => status)).not.toContain('PENDING'),
    );
    // The times are those of the person's clocks, three hours ahead of UTC.
    await scene.stack.database
      .updateTable('webhook_deliveries')
      .set({ created_at: new Date('2026-10-01T21:30:00Z') })
      .where('id', '=', Number(first?.id))
      .execute();
    await again({ from: '2026-10-01T21:00', to: '2026-10-02T00:30' });
    const none = await client.get(path);
    expect(none.html).toContain('Nothing was sent again: no delivery matches');
    await again({ from: '2026-10-02T00:30', to: '2026-10-02 00:31' });
    await until(() => expect(shop.received).toHaveLength(4));
    expect(shop.received.at(-1)?.headers['webhook-id']).toBe(
      shop.received[0]?.headers['webhook-id'],
    );
    for (const from of ['yesterday', '2026-02-30T00:00', '2026-01-01T24:00', '2099-01-02T00:00']) {
      const wrong = await again({ from, to: '2099-01-01 00:00' });
      expect([from, wrong.status]).toEqual([from, 422]);
      expect(wrong.html).toContain('Enter two times');
    }

    const { html: shown } = await client.get(path);
    expect(shown).toContain('href="/portal/vouchers/1"');
    const file = await client.get(`${path}/download`);
    expect(file.headers.get('content-disposition')).toContain(`webhook-${id}-deliveries.csv`);
    const rows: Record<string, string>[] = parse(file.html, { bom: true, columns: true });
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({
      Made: '2026-10-02T00:30:00+03:00',
      Subject: 'voucher:1',
      'Status code': '200',
    });
    const failed = await client.get(`${path}/download?state=failed`);
    expect(parse(failed.html, { bom: true, columns: true })).toEqual([]);
    const stranger = await makeAccount(scene.stack, {
      kind: 'partner',
      id: (await makePartner(scene.stack)).id,
    });
    const browser = await signedIn(scene.stack, stranger);
    expect((await browser.get(`${path}/download`)).status).toBe(404);
  });
});

it('says that a webhook is not active, where another tab has paused it', async () => {
  const shop = await scene.receiver();
  const { path } = await added(shop.url);
  const { html } = await client.get(path);
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  await client.submit(path, `${path}/pause`);
  for (const action of ['pause', 'test', 'send-again']) {
    const answer = await client.post(`${path}/${action}`, { token, failed: 'yes' });
    expect([action, answer.status, answer.location]).toEqual([action, 303, path]);
    expect((await client.get(path)).html).toMatch(/was not active|is not active/);
  }
});

it('loads its page again for the answer to a test event, but not while it is paused', async () => {
  const shop = await scene.receiver();
  const { id, path } = await added(shop.url);
  await sql`insert into webhook_deliveries (endpoint_id, type, subject, retry_until, next_attempt_at)
    values (${id}, ${TEST_EVENT_TYPE}, ${`webhook:${id}`}, now(), now() + interval '1 hour')
  `.execute(scene.stack.database);
  expect((await client.get(path)).headers.get('refresh')).toBe('2');
  await client.submit(path, `${path}/pause`);
  const { headers, html } = await client.get(path);
  expect(headers.get('refresh')).toBeNull();
  expect(html).toContain('until you resume the webhook');
});

it('shows a switched-off webhook with the reason, and resumes it', async () => {
  const shop = await scene.receiver();
  const { id, path } = await added(shop.url);
  await scene.stack.database
    .updateTable('webhook_endpoints')
    .set({ status: 'SWITCHED_OFF', status_reason: 'Every attempt has failed.' })
    .where('id', '=', id)
    .execute();
  expect((await client.get(path)).html).toContain('Every attempt has failed.');
  await client.submit(path, `${path}/resume`);
  expect(await scene.endpoint(id)).toMatchObject({ status: 'ACTIVE' });
});

it('belongs to its company: others find nothing', async () => {
  const shop = await scene.receiver();
  const { id, path } = await added(shop.url);
  const stranger = await makePartner(scene.stack);
  const merchant = await makeMerchant(scene.stack);
  for (const company of [
    { kind: 'partner' as const, id: stranger.id },
    { kind: 'merchant' as const, id: merchant.id },
  ]) {
    const other = await signedIn(scene.stack, await makeAccount(scene.stack, company));
    for (const page of [path, `${path}/rotate`, `${path}/remove`])
      expect((await other.get(page)).status).toBe(404);
    const { html } = await other.get(PAGE);
    expect(html).not.toContain(shop.url);
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    for (const action of ['pause', 'resume', 'test', 'remove', 'send-again'])
      expect((await other.post(`${path}/${action}`, { token, failed: 'yes' })).status).toBe(404);
  }
  expect(await scene.endpoint(id)).toMatchObject({ status: 'ACTIVE' });
});

it('needs the form token', async () => {
  const shop = await scene.receiver();
  const { id, path } = await added(shop.url);
  expect((await client.post(`${path}/pause`, {})).status).toBe(403);
  expect((await scene.endpoint(id)).status).toBe('ACTIVE');
});
