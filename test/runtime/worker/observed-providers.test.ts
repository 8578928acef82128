import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import type { Database } from '../../../src/db/connection.ts';
import { makeSecrets } from '../../../src/local/start/backing-services.ts';
import type { AirtimeOrder } from '../../../src/providers/airtime/airtime.ts';
import { createMetrics } from '../../../src/runtime/metrics/metrics.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { createProviders } from '../../../src/runtime/worker/observed-providers.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { answerWith, startRawServer } from '../../providers/raw-server.ts';
import { providerSettings } from '../../support/stack.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** The airtime of a worker, with DT One answering as a test wants. */
async function startAirtime() {
  const sandbox = await startSandbox({ port: 0, delayScale: 0 });
  let answer = answerWith(500, '');
  const dtOne = await startRawServer((request, response) => answer(request, response));
  open.push(sandbox, dtOne);
  const config = readConfig({
    ...makeSecrets(),
    ...providerSettings(sandbox),
    DATABASE_URL: 'postgres://localhost/service',
    TEMPORAL_ADDRESS: 'localhost:7233',
    AIRTIME_URL: dtOne.url,
  });
  const { airtime } = createProviders(config, {
    // No call of these providers reads it.
    database: {} as Database,
    smpp: undefined,
    metrics: createMetrics(),
    logger: createLogger('silent', 'test'),
  });
  return {
    airtime,
    answers: (status: number, body: unknown) => {
      answer = answerWith(status, body);
    },
  };
}

const newOrder = (): AirtimeOrder => ({
  reference: randomUUID(),
  msisdn: '+251911234567',
  product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '50.00' },
});

/** DT One's list of an order under our reference. */
const listed = ({ reference }: AirtimeOrder, [id, state]: readonly [number, string]) => [
  {
    id: 1,
    external_id: reference,
    status: { id: 1, message: state, class: { id, message: state.split('-')[0] } },
    product: { id: 1001 },
    credit_party_identifier: { mobile_number: '+251911234567' },
    requested_values: { destination: { unit_type: 'CURRENCY', unit: 'ETB', amount: 50 } },
  },
];
const submitted = [5, 'SUBMITTED'] as const;
const completed = [7, 'COMPLETED'] as const;
const outOfMoney = [3, 'REJECTED-INSUFFICIENT-BALANCE'] as const;

it('a provider that refuses for lack of our money is left to operations that no other one serves', async () => {
  const { airtime, answers } = await startAirtime();
  const send = () => airtime.named('dt-one').send(newOrder());
  const haveMoney = () => airtime.names.map((name) => [name, airtime.hasMoney(name)]);
  answers(400, { errors: [{ code: 1_006_001, message: 'Insufficient balance' }] });

  expect(await send()).toMatchObject({ kind: 'refused', code: '1006001' });
  expect(haveMoney()).toEqual([
    ['dt-one', false],
    ['reloadly', true],
  ]);
  // It takes calls all the same: only new operations prefer another one.
  expect(airtime.isAvailable('dt-one')).toBe(true);
  // What is unknown says nothing about it.
  answers(503, 'Service Unavailable');
  await send();
  expect(haveMoney()[0]).toEqual(['dt-one', false]);
});

it('an old refusal for lack of our money says nothing about what our account has now', async () => {
  const { airtime, answers } = await startAirtime();
  const order = newOrder();
  answers(200, listed(order, outOfMoney));
  expect(await airtime.named('dt-one').findOrder(order)).toMatchObject({
    kind: 'refused',
    code: 'REJECTED-INSUFFICIENT-BALANCE',
  });
  expect(airtime.hasMoney('dt-one')).toBe(true);
});

it('a provider that takes an order and refuses it for lack of our money later is empty', async () => {
  const { airtime, answers } = await startAirtime();
  const dtOne = airtime.named('dt-one');
  const order = newOrder();
  answers(201, listed(order, submitted)[0]);
  expect((await dtOne.send(order)).kind).toBe('unknown');
  expect(airtime.hasMoney('dt-one')).toBe(true);
  answers(200, listed(order, outOfMoney));
  await dtOne.findOrder(order);
  expect(airtime.hasMoney('dt-one')).toBe(false);

  // It delivered this one long ago, perhaps with the last of our money.
  const earlier = newOrder();
  answers(200, listed(earlier, completed));
  expect((await dtOne.findOrder(earlier)).kind).toBe('delivered');
  expect(airtime.hasMoney('dt-one')).toBe(false);

  const next = newOrder();
  answers(201, listed(next, completed)[0]);
  expect((await dtOne.send(next)).kind).toBe('delivered');
  expect(airtime.hasMoney('dt-one')).toBe(true);
});
