import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminScene, merchantWords, openScene } from './scene.ts';

let scene: AdminScene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const invitations = (id: number) => scene.json(`merchant list-invitations ${id}`);

const makeMerchant = async (): Promise<number> =>
  (await scene.json(merchantWords(randomUUID()))).id;

test('an invitation waits for a worker, and the next one takes its place', async () => {
  const id = await makeMerchant();
  const { out } = await scene.admin(`merchant invite ${id}`);
  expect(out).toContain('the link goes to owner@coffee.example and by SMS to +2519*****001.');
  const again = await scene.admin(
    `merchant invite ${id} --email Sara@Till.Example --phone 0911001002`,
  );
  expect(again.out).toContain('The previous link no longer works.');
  expect(await invitations(id)).toMatchObject([
    { status: 'REQUESTED', email: 'sara@till.example', phone: '+2519*****002', mail: 'QUEUED' },
    { status: 'REPLACED', email: 'owner@coffee.example', sms: 'CANCELLED', mail: 'CANCELLED' },
  ]);
  const shown = await scene.admin(`merchant list-invitations ${id}`);
  expect(shown.out).toMatch(/waiting for a worker .+sara@till\.example \(queued\)/);
  const audit = (await scene.auditRows()).filter(({ action }) => action === 'invite merchant');
  expect(audit).toHaveLength(2);
  expect(JSON.stringify(audit)).not.toContain('911001');
});

test('two at the same moment leave one', async () => {
  const id = await makeMerchant();
  await Promise.all(Array.from({ length: 5 }, () => scene.json(`merchant invite ${id}`)));
  const states = (await invitations(id)).map(({ status }: { status: string }) => status);
  expect(states.toSorted()).toEqual(['REPLACED', 'REPLACED', 'REPLACED', 'REPLACED', 'REQUESTED']);
});

test('the deletion of a merchant ends its invitation, also once the merchant is restored', async () => {
  const id = await makeMerchant();
  await scene.json(`merchant invite ${id}`);
  await scene.json(`merchant deactivate ${id}`);
  await scene.json(`merchant delete ${id}`);
  await scene.json(`merchant restore ${id}`);
  expect(await invitations(id)).toMatchObject([
    { status: 'REPLACED', sms: 'CANCELLED', mail: 'CANCELLED' },
  ]);
});

test('a telephone that takes no SMS leaves the mail', async () => {
  const id = await makeMerchant();
  await scene.json(`merchant change ${id} --phone +251111234567`);
  const { out } = await scene.admin(`merchant invite ${id}`);
  expect(out).toContain('owner@coffee.example only, because its telephone cannot receive SMS.');
  expect(await invitations(id)).toMatchObject([{ phone: null, sms: null, mail: 'QUEUED' }]);
});

test('refused in one line, with nothing written', async () => {
  const id = await makeMerchant();
  const other = await makeMerchant();
  await scene.json(`access account create --email taken@till.example --merchant ${other}`);
  const cases: [string, string][] = [
    ['merchant invite 999', 'There is no merchant 999'],
    [`merchant invite ${id} --email x`, 'must be an e-mail address'],
    [`merchant invite ${id} --phone 0111234567`, 'must be a mobile number'],
    [
      `merchant invite ${id} --email Taken@till.example`,
      `taken@till.example signs in for merchant ${other}: use another --email.`,
    ],
  ];
  for (const [words, problem] of cases)
    expect(await scene.admin(words)).toMatchObject({
      code: 1,
      err: expect.stringContaining(problem),
    });
  await scene.json(`merchant deactivate ${id}`);
  expect((await scene.admin(`merchant invite ${id}`)).err).toContain('is deactivated');
  expect(await invitations(id)).toEqual([]);
});
