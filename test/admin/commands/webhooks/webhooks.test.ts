import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilBlockedBy } from '../../../support/database-locks.ts';
import { type AdminScene, commandsOn, openScene } from '../../scene.ts';

const DATA_KEYS = `k1:${randomBytes(32).toString('base64')}`;

let scene: AdminScene;
let operator: ReturnType<typeof commandsOn>;
let partner: number;

beforeAll(async () => {
  scene = await openScene();
  operator = commandsOn({ ...scene.environment, DATA_KEYS, WEBHOOK_ENDPOINTS_PER_COMPANY: '2' });
  partner = (await operator.json('partner create --name Shop')).id;
});
afterAll(() => scene?.close());

it('adds, changes and removes a webhook', async () => {
  const added = await operator.json(
    `access webhook add https://shop.example/hooks --partner ${partner} --types topup.failed,topup.late`,
  );
  expect(added.secret).toMatch(/^whsec_/);
  const id = added.webhookId;
  const listed = () => operator.json(`access webhook list --partner ${partner}`);
  expect(await listed()).toMatchObject([
    {
      id,
      url: 'https://shop.example/hooks',
      types: ['topup.failed', 'topup.late'],
      status: 'ACTIVE',
    },
  ]);
  const rotated = await operator.json(`access webhook rotate-secret ${id}`);
  expect(rotated.secret).not.toBe(added.secret);
  const secrets = await scene.database
    .selectFrom('webhook_secrets')
    .selectAll()
    .orderBy('id')
    .execute();
  expect(secrets.map(({ expires_at }) => expires_at === null)).toEqual([false, true]);
  expect(JSON.stringify(secrets)).not.toContain(added.secret.slice(6));

  const { deliveryId } = await operator.json(`access webhook test ${id}`);
  expect(await operator.json(`access webhook test ${id}`)).toMatchObject({ changed: false });
  expect(await operator.json(`access webhook list-deliveries ${id}`)).toMatchObject([
    { id: deliveryId, type: 'webhook.test', status: 'PENDING' },
  ]);
  expect(await operator.json(`access webhook send-again ${id} --failed`)).toMatchObject({
    changed: false,
  });

  await operator.json(`access webhook pause ${id}`);
  expect(await operator.json(`access webhook pause ${id}`)).toMatchObject({ changed: false });
  expect((await operator.admin(`access webhook test ${id}`)).err).toContain(
    `access webhook resume ${id}`,
  );
  await operator.json(`access webhook resume ${id}`);
  await operator.json(`access webhook remove ${id}`);
  expect(await listed()).toEqual([]);
  expect((await operator.admin(`access webhook resume ${id}`)).err).toContain(
    'There is no webhook',
  );
  expect(await scene.database.selectFrom('webhook_secrets').selectAll().execute()).toEqual([]);

  const audit = await operator.json(`access audit --kind partner --id ${partner}`);
  expect(JSON.stringify(audit)).not.toContain('whsec_');
  expect(audit.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['add webhook', 'rotate webhook-secret', 'remove webhook']),
  );
  const tested = audit.find(({ action }: { action: string }) => action === 'test webhook');
  const details = { webhookId: id, url: 'https://shop.example/hooks', deliveryId };
  expect(tested.details).toEqual(details);
});

it('resumes a webhook once where two resume it at once, and only that one changes deliveries', async () => {
  const { database } = scene;
  const company = (await operator.json('partner create --name Twice')).id;
  const { webhookId: id } = await operator.json(
    `access webhook add https://twice.example/ --partner ${company}`,
  );
  await operator.json(`access webhook pause ${id}`);
  await sql`
    insert into webhook_deliveries (endpoint_id, event_number, type, subject, status, retry_until)
    values (${id}, 1, 'voucher.expired', 'voucher:1', 'FAILED', now())`.execute(database);
  const resume = () => operator.json(`access webhook resume ${id}`);
  const answers = await database.transaction().execute(async (holder) => {
    await sql`select from webhook_endpoints where id = ${id} for update`.execute(holder);
    const both = [resume()];
    await untilBlockedBy(holder, database, 1);
    both.push(resume());
    await untilBlockedBy(holder, database, 2);
    return { both: Promise.all(both) };
  });
  expect(await answers.both).toMatchObject([{ changed: true }, { changed: false }]);
  const { rows } = await sql`
    select status, next_attempt_at = (select at from audit_log
      where action = 'resume webhook' and subject_kind = 'partner' and subject_id = ${company}) as "isOfEntry"
    from webhook_deliveries where endpoint_id = ${id}`.execute(database);
  expect(rows).toEqual([{ status: 'PENDING', isOfEntry: true }]);
});

it.each([
  ['http://shop.example/', 'https://'],
  ['https://10.0.0.1/', 'public host'],
  ['https://shop.example/ --types topup.nonsense', 'no events of the type'],
  ['https://shop.example/ --types payout.completed', 'no events of the type'],
])('refuses %s', async (words, problem) => {
  const { code, err } = await operator.admin(`access webhook add ${words} --partner ${partner}`);
  expect(code).toBe(1);
  expect(err).toContain(problem);
});

it('limits the webhooks of a company', async () => {
  const other = (await operator.json('partner create --name Other')).id;
  await operator.json(`access webhook add https://a.example/ --partner ${other}`);
  const twice = await operator.admin(`access webhook add https://A.example --partner ${other}`);
  expect(twice.err).toContain('already registered');
  await operator.json(`access webhook add https://b.example/ --partner ${other}`);
  const third = await operator.admin(`access webhook add https://c.example/ --partner ${other}`);
  expect(third.err).toContain('already 2 webhooks');
});

it.each(['', '--failed --delivery 1', '--from 2026-11-20', '--from 2026-11-21 --to 2026-11-19'])(
  'does not send again by "%s"',
  async (selection) => {
    const company = (await operator.json('partner create --name Again')).id;
    const { webhookId } = await operator.json(
      `access webhook add https://a.example/ --partner ${company}`,
    );
    const words = `access webhook send-again ${webhookId} ${selection}`.trim();
    expect((await operator.admin(words)).code).toBe(1);
  },
);
