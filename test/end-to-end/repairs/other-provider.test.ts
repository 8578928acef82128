import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { providerOf } from '../../../src/db/positions/placements.ts';
import { switchRoute } from '../../../src/db/providers.ts';
import { call } from '../../support/clients.ts';
import { type RaceScene, setRaceScene } from './race-scene.ts';

/** A retry by another provider than the first one of the routes; API and worker have their roles. */
let scene: RaceScene;
/** The route to the second provider. */
let route: number;

beforeAll(async () => {
  scene = await setRaceScene({ CALLER_WAIT_SECONDS: '2', TOPUP_RETRY_WINDOW_SECONDS: '3600' });
  await scene.routeTo('dt-one', 1);
  route = await scene.routeTo('reloadly', 2);
});
afterAll(() => scene?.stop());

const switchSecond = (isEnabled: boolean) =>
  scene.stack.database
    .transaction()
    .execute((transaction) => switchRoute(transaction, route, isEnabled));

const attemptsOf = (id: number) =>
  scene.stack.database
    .selectFrom('topup_attempts')
    .select('status')
    .select(providerOf(sql.ref('topup_attempts.operation_id')).as('provider'))
    .where('topup_id', '=', id)
    .orderBy('attempt')
    .execute();

const wallet = async () => (await scene.balances()).walletBalance;

it('the named provider delivers it, once, and nobody else is asked', async () => {
  const id = await scene.topupIn('FAILED');
  const [before, msisdn] = [await wallet(), scene.number()];
  const row = await scene.repaired('retry-top-up', id, { msisdn, provider: 'reloadly' });
  scene.expectDone(row);
  expect(row.arguments).toMatchObject({ provider: 'reloadly' });
  expect(await attemptsOf(id)).toEqual([
    { provider: 'dt-one', status: 'VOIDED' },
    { provider: 'reloadly', status: 'POSTED' },
  ]);
  const books = `${scene.stack.sandbox.url}/books?to=${encodeURIComponent(msisdn)}`;
  expect((await call(books)).body.topups).toMatchObject([
    { provider: 'reloadly', status: 'completed' },
  ]);
  expect(before - (await wallet())).toBe(50);
});

it('without a name the routes decide, also after a retry by another provider', async () => {
  const id = await scene.topupIn('FAILED');
  expect((await scene.repaired('retry-top-up', id, { provider: 'reloadly' })).state).toBe(
    'REFUSED',
  );
  scene.expectDone(await scene.repaired('retry-top-up', id, { msisdn: scene.number() }));
  expect((await attemptsOf(id)).map(({ provider }) => provider)).toEqual([
    ...['dt-one', 'reloadly', 'dt-one'],
  ]);
});

it('a provider that no route leads to is refused, by the edge and by the step that acts', async () => {
  const id = await scene.topupIn('FAILED');
  const before = await wallet();
  // The route is for numbers of another operator.
  const args = { msisdn: '+251711000000', provider: 'reloadly' };
  const refusal = expect.stringContaining('No route leads this top-up to reloadly');
  expect(await scene.ask('retry-top-up', id, args)).toMatchObject({ kind: 'refused', refusal });
  expect(await scene.forced('retry-top-up', id, args)).toMatchObject({
    state: 'REFUSED',
    result: refusal,
  });
  expect([(await attemptsOf(id)).length, await wallet()]).toEqual([1, before]);
});

it('a route that goes after the repair has begun: nothing is held or sent', async () => {
  const id = await scene.topupIn('FAILED');
  const before = await wallet();
  const { letGo } = await scene.halted('repair-begin-committed', () =>
    scene.asked('retry-top-up', id, { msisdn: scene.number(), provider: 'reloadly' }),
  );
  await switchSecond(false);
  const row = await letGo();
  await switchSecond(true);
  expect([row.state, row.result]).toEqual(['REFUSED', expect.stringContaining('reloadly')]);
  expect([(await attemptsOf(id)).length, await wallet()]).toEqual([1, before]);
});
