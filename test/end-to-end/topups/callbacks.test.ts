import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../support/clients.ts';
import { makeSpoilingWay } from '../../support/spoiling-way.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { setTopupScene, type TopupScene } from './topup-scene.ts';

/** Callbacks are not signed: settings say under which secret path, and from where, they are taken. */
const SECRET = 'a-path-that-nobody-guesses';
const PROVIDER = '198.51.100.7';
const STRANGER = '203.0.113.9';
/** The provider leaves the end open. */
const OPEN = '014';

let scene: TopupScene;
let way: Awaited<ReturnType<typeof makeSpoilingWay>>;
beforeAll(async () => {
  way = await makeSpoilingWay();
  scene = await setTopupScene({
    AIRTIME_URL: `${way.url}/dt-one/v1`,
    // The provider answers when a test lets it, not when the time is up.
    PROVIDER_TIMEOUT_SECONDS: '60',
    PROVIDER_DEADLINE_SECONDS: '61',
    CALLBACK_SECRETS: `dt-one=${SECRET},mpesa=${SECRET}`,
    CALLBACK_ADDRESSES: 'dt-one=198.51.100.0/28 2001:db8::/64',
    TRUSTED_PROXIES: '127.0.0.1',
    CALLER_WAIT_SECONDS: '1',
    // Nothing but a nudge makes a workflow ask the provider during the test.
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '3600',
  });
  way.setTarget(scene.stack.sandbox.url);
});
afterAll(async () => {
  await scene?.stack.stop();
  await way?.close();
});

const callBack = (path: string, from: string, reference: string) =>
  call(`${scene.stack.url}/callbacks/airtime${path}`, {
    body: { external_id: reference },
    headers: { 'X-Forwarded-For': from },
  });

/** A top-up of which only the provider knows the end. */
async function unknownTopup() {
  const id = await scene.openTopup();
  const reference: string = (await scene.show(id)).attempts[0].ourReference;
  return { id, reference };
}

const hintsOf = async (id: number): Promise<number> =>
  (await scene.eventsOf(id)).filter(
    ({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.signalName === 'providerNudge',
  ).length;

test('a callback counts under its secret path and from the provider’s addresses alone', async () => {
  const { id, reference } = await unknownTopup();
  await scene.settle(id, 'completed');

  const unknown = await call(`${scene.stack.url}/callbacks/none`, { body: {} });
  expect(unknown.status).toBe(404);
  for (const path of ['', '/another-path-altogether', `/${SECRET}x`, `/${SECRET.slice(1)}`])
    for (const from of [PROVIDER, STRANGER]) {
      const refused = await callBack(path, from, reference);
      // It says no more than of a path that there is not.
      expect({ path, status: refused.status, body: refused.body }).toEqual({
        path,
        status: 404,
        body: unknown.body,
      });
    }
  for (const from of [STRANGER, '198.51.100.16', '2001:db8:1::1', `${PROVIDER}, ${STRANGER}`])
    expect((await callBack(`/${SECRET}`, from, reference)).status).toBe(403);
  expect(await hintsOf(id)).toBe(0);

  expect((await callBack(`/${SECRET}`, PROVIDER, reference)).status).toBe(200);
  await scene.untilStatus(id, 'SUCCESS');
  expect(await hintsOf(id)).toBe(1);
});

test('a callback is taken from each of the addresses, in their other spellings too', async () => {
  const { id, reference } = await unknownTopup();
  await scene.settle(id, 'completed');
  for (const from of ['198.51.100.0', '198.51.100.15', '::ffff:198.51.100.7', '2001:db8::1'])
    expect((await callBack(`/${SECRET}`, from, reference)).status).toBe(200);
  await scene.untilStatus(id, 'SUCCESS');
});

test('a callback before an answer that leaves the outcome open ends the top-up', async () => {
  const msisdn = scene.number(OPEN);
  let answer = () => {};
  const sent = new Promise<void>((resolve) => {
    way.spoilWith(({ status, body }, response) => {
      answer = () => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
      resolve();
    });
  });
  // It is answered after the test.
  scene.topup(msisdn).catch(() => undefined);
  await sent;
  way.spoilWith(undefined);
  const { id } = await scene.stack.database
    .selectFrom('topup_attempts')
    .select('topup_id as id')
    .where(isNumber(scene.stack, 'msisdn', msisdn))
    .executeTakeFirstOrThrow();
  const reference: string = (await scene.show(id)).attempts[0].ourReference;
  expect((await scene.show(id)).status).toBe('PROCESSING');
  await scene.settle(id, 'completed');
  expect((await callBack(`/${SECRET}`, PROVIDER, reference)).status).toBe(200);
  expect((await scene.show(id)).status).toBe('PROCESSING');
  answer();
  await scene.untilStatus(id, 'SUCCESS');
  expect(await hintsOf(id)).toBe(1);
});

test('the secret is kept nowhere', async () => {
  const refused = await scene.stack.database.selectFrom('refused_calls').selectAll().execute();
  expect(JSON.stringify(refused)).not.toContain(SECRET);
});
