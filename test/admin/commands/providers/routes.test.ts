import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdminScene, commandsOn, openScene } from '../../scene.ts';

let scene: AdminScene;
let commands: ReturnType<typeof commandsOn>;
beforeAll(async () => {
  scene = await openScene();
  commands = commandsOn({
    ...scene.environment,
    MOBILE_MONEY_URL: 'https://money.example',
    MOBILE_MONEY_ACCOUNT: '2999',
  });
});
afterAll(() => scene?.close());

it('routes are added, disabled, enabled and removed, each on the record', async () => {
  const { json, admin } = commands;
  expect(await json('providers route list')).toEqual([]);
  await json('providers route add --kind payout --provider gsma --from 100 --to 5000 --weight 3');
  const [route] = await json('providers route list');
  expect(route).toMatchObject({
    kind: 'payout',
    provider: 'gsma',
    position: 1,
    weight: 3,
    amount_from: '100.000000',
    is_enabled: true,
  });
  expect((await admin('providers route list')).out).toContain('from ETB 100.00 to ETB 5,000.00');
  await json(`providers route disable ${route.id}`);
  expect(await json('providers route list')).toMatchObject([{ is_enabled: false }]);
  expect((await admin(`providers route disable ${route.id}`)).out).toContain('No change');
  await json(`providers route enable ${route.id}`);
  await json(`providers route remove ${route.id}`);
  expect(await json('providers route list')).toEqual([]);
  expect((await scene.auditRows()).map(({ action }) => action)).toEqual([
    'route add',
    'route disable',
    'route enable',
    'route remove',
  ]);
});

it.each([
  ['--kind payout --provider nobody', /must be/],
  ['--kind payout --provider dt-one', /dt-one does not serve payout: choose gsma/],
  ['--kind topup-airtime --provider dt-one', /dt-one is not configured/],
  ['--kind payout --provider gsma --from 10 --to 5', /--from must not be more/],
  ['--kind payout --provider gsma --merchant 999', /merchant 999/],
])('a route %s is refused', async (words, message) => {
  const { code, err } = await commands.admin(`providers route add ${words}`);
  expect(err).toMatch(message);
  expect(code).not.toBe(0);
  expect(await commands.json('providers route list')).toEqual([]);
});

it('a route that does not exist cannot be removed', async () => {
  expect((await commands.admin('providers route remove 77')).err).toContain('There is no route 77');
});
