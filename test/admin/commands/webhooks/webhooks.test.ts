import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdminScene, commandsOn, openScene } from '../../scene.ts';

const DATA_KEYS = `k1:${randomBytes(32).toString('base64')}`;

let scene: AdminScene;
let operator: ReturnType<typeof commandsOn>;
let partner: number;

beforeAll(async () => {
  scene = await openScene();
  operator = commandsOn({ ...scene.environment, DATA_KEYS, WEBHOOK_ENDPOINTS_PER_COMPANY: '2' });
  partner = (await operator.json('create partner --name Shop')).id;
});
afterAll(() => scene?.close());

it('adds, changes and removes a webhook', async () => {
  const added = await operator.json(
    `add webhook https://shop.example/hooks --partner ${partner} --types topup.failed,topup.late`,
  );
  expect(added.secret).toMatch(/^whsec_/);
  const id = added.webhookId;
  const listed = () => operator.json(`list webhooks --partner ${partner}`);
  expect(await listed()).toMatchObject([
    {
      id,
      url: 'https://shop.example/hooks',
      types: ['topup.failed', 'topup.late'],
      status: 'ACTIVE',
    },
  ]);
  const rotated = await operator.json(`rotate webhook-secret ${id}`);
  expect(rotated.secret).not.toBe(added.secret);
  const secrets = await scene.database
    .selectFrom('webhook_secrets')
    .selectAll()
    .orderBy('id')
    .execute();
  expect(secrets.map(({ expires_at }) => expires_at === null)).toEqual([false, true]);
  expect(JSON.stringify(secrets)).not.toContain(added.secret.slice(6));

  const { deliveryId } = await operator.json(`test webhook ${id}`);
  expect(await operator.json(`test webhook ${id}`)).toMatchObject({ changed: false });
  expect(await operator.json(`list webhook-deliveries ${id}`)).toMatchObject([
    { id: deliveryId, type: 'webhook.test', status: 'PENDING' },
  ]);
  expect(await operator.json(`send-again webhook ${id} --failed`)).toMatchObject({
    changed: false,
  });

  await operator.json(`pause webhook ${id}`);
  expect(await operator.json(`pause webhook ${id}`)).toMatchObject({ changed: false });
  expect((await operator.admin(`test webhook ${id}`)).err).toContain(`resume webhook ${id}`);
  await operator.json(`resume webhook ${id}`);
  await operator.json(`remove webhook ${id}`);
  expect(await listed()).toEqual([]);
  expect((await operator.admin(`resume webhook ${id}`)).err).toContain('There is no webhook');
  expect(await scene.database.selectFrom('webhook_secrets').selectAll().execute()).toEqual([]);

  const audit = await operator.json(`audit --kind partner --id ${partner}`);
  expect(JSON.stringify(audit)).not.toContain('whsec_');
  expect(audit.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['add webhook', 'rotate webhook-secret', 'remove webhook']),
  );
});

it.each([
  ['http://shop.example/', 'https://'],
  ['https://10.0.0.1/', 'public host'],
  ['https://shop.example/ --types topup.nonsense', 'no events of the type'],
  ['https://shop.example/ --types payout.completed', 'no events of the type'],
])('refuses %s', async (words, problem) => {
  const { code, err } = await operator.admin(`add webhook ${words} --partner ${partner}`);
  expect(code).toBe(1);
  expect(err).toContain(problem);
});

it('limits the webhooks of a company', async () => {
  const other = (await operator.json('create partner --name Other')).id;
  await operator.json(`add webhook https://a.example/ --partner ${other}`);
  const twice = await operator.admin(`add webhook https://A.example --partner ${other}`);
  expect(twice.err).toContain('already registered');
  await operator.json(`add webhook https://b.example/ --partner ${other}`);
  const third = await operator.admin(`add webhook https://c.example/ --partner ${other}`);
  expect(third.err).toContain('already 2 webhooks');
});

it.each(['', '--failed --delivery 1', '--from 2026-11-20', '--from 2026-11-21 --to 2026-11-19'])(
  'does not send again by "%s"',
  async (selection) => {
    const company = (await operator.json('create partner --name Again')).id;
    const { webhookId } = await operator.json(
      `add webhook https://a.example/ --partner ${company}`,
    );
    const words = `send-again webhook ${webhookId} ${selection}`.trim();
    expect((await operator.admin(words)).code).toBe(1);
  },
);
