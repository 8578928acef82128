import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import type { Database } from '../../src/db/connection.js';
import { createLogger } from '../../src/process/logger.js';
import { createMetrics } from '../../src/process/metrics/metrics.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { makeSecrets } from '../../src/start/secrets.js';
import { createProviders } from '../../src/worker/observed-providers.js';
import { answerWith, startRawServer } from '../providers/raw-server.js';
import { providerSettings } from '../support/stack.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

it('a provider that refuses for lack of our money is left to operations that no other one serves', async () => {
  const sandbox = await startSandbox({ port: 0, delayScale: 0 });
  let answer = answerWith(400, { errors: [{ code: 1_006_001, message: 'Insufficient balance' }] });
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
  const send = () =>
    airtime.named('dt-one').send({
      reference: randomUUID(),
      msisdn: '+251911234567',
      product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '50.00' },
    });
  const haveMoney = () => airtime.names.map((name) => [name, airtime.hasMoney(name)]);

  expect(await send()).toMatchObject({ kind: 'refused', code: '1006001' });
  expect(haveMoney()).toEqual([
    ['dt-one', false],
    ['reloadly', true],
  ]);
  // It takes calls all the same: only new operations prefer another one.
  expect(airtime.isAvailable('dt-one')).toBe(true);
  // What is unknown says nothing about it.
  answer = answerWith(503, 'Service Unavailable');
  await send();
  expect(haveMoney()[0]).toEqual(['dt-one', false]);
});
