import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../../src/config/config.ts';
import { providerName } from '../../../src/domain/providers.ts';
import { createMetrics } from '../../../src/runtime/metrics/metrics.ts';
import { smscPassword } from '../../../src/sandbox/smpp.ts';
import { commandsOn } from '../../admin/scene.ts';
import { providerSettings } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { samplesOf, sampleValue } from '../observation/samples.ts';
import { type BrokenScene, setBrokenScene } from './broken-providers-scene.ts';
import { kindOf, type MetOperation, toldBy } from './met-operations.ts';
import { type CuttableWay, makeCuttableWay } from './provider-outage.ts';

/**
 * The settings have credentials that a provider does not accept: it certainly does nothing, the next one serves, and
 * operators are told who refuses us.
 */
const BREAKER_CALLS = 8;

const wrong = {
  'africas-talking': { SMS_API_KEY: 'wrong' },
  // Its address, which has the password, is known later.
  smpp: {},
  gsma: { MOBILE_MONEY_SECRET: 'wrong' },
  mpesa: { MPESA_CONSUMER_SECRET: 'wrong' },
  'dt-one': { AIRTIME_SECRET: 'wrong' },
  reloadly: { RELOADLY_CLIENT_SECRET: 'wrong' },
} as const satisfies Readonly<Record<string, Environment>>;

type Name = keyof typeof wrong;

/** Calls that take long on a busy machine are not unknown. */
const patience = {
  PROVIDER_TIMEOUT_SECONDS: '20',
};

const orders: readonly (readonly (readonly [Name, Name])[])[] = [
  [
    ['africas-talking', 'smpp'],
    ['gsma', 'mpesa'],
    ['dt-one', 'reloadly'],
  ],
  [
    ['smpp', 'africas-talking'],
    ['mpesa', 'gsma'],
    ['reloadly', 'dt-one'],
  ],
];

describe.each(orders.map((routes) => ({ routes })))('wrong credentials: $routes', ({ routes }) => {
  const metrics = createMetrics();
  const settings = Object.assign({}, ...routes.map(([first]) => wrong[first]));
  const refusesSmpp = routes.some(([first]) => first === 'smpp');
  let scene: BrokenScene;
  let smsc: CuttableWay;
  beforeAll(async () => {
    smsc = await makeCuttableWay();
    scene = await setBrokenScene(
      {
        ...patience,
        ...settings,
        ...(refusesSmpp && { SMPP_URL: smsc.url.replace('http://', 'smpp://sandbox:wrong@') }),
        CALLER_WAIT_SECONDS: '30',
        PROVIDER_BREAKER_CALLS: String(BREAKER_CALLS),
        // None of these tests waits until one call tries.
        PROVIDER_BREAKER_SECONDS: '3600',
      },
      { metrics },
    );
    smsc.setTarget(scene.stack.sandbox.smppUrl);
  });
  afterAll(async () => {
    await scene?.stop();
    await smsc?.close();
  });

  const measured = async (name: string, labels: Readonly<Record<string, string>>) =>
    sampleValue(samplesOf(await metrics.read()), `voucher_service_${name}`, labels) ?? 0;
  const calls = (provider: Name, outcome: string) => {
    const call = kindOf[provider] === 'payment' ? 'pay' : 'send';
    return measured('provider_calls_total', { provider, call, outcome });
  };
  const isOpen = async (provider: Name) =>
    (await measured('provider_breaker', { provider, state: 'open' })) === 1;
  const failoversFrom = async (provider: Name) => {
    const { rows } = await sql<{ to: string; message: string }>`
      select to_provider as to, message from message_failovers where from_provider = ${provider}
      union all
      select later.provider, placements.message from placements
      join placements as later on later.operation_id = placements.operation_id
        and later.position = placements.position + 1
      where placements.provider = ${provider}`.execute(scene.stack.database);
    return rows;
  };

  /** It is told and booked as done, and one provider has done it once. */
  async function expectDoneOnceBy(provider: Name, operation: MetOperation): Promise<void> {
    const answer = await operation.send();
    await until(async () => expect(await operation.booked()).toBe('done'));
    expect(['done', undefined]).toContain(toldBy(answer, kindOf[provider]));
    expect(operation.inBooks()).toMatchObject([{ provider, status: 'completed' }]);
    expect(await operation.lastAsked()).toBe(provider);
  }

  test.each(routes)('%s refuses us, and %s serves', { concurrent: true }, async (first, second) => {
    const prepare = await scene.operationsAt(first, second);
    const operation = await prepare();
    await expectDoneOnceBy(second, operation);
    const [failover, ...others] = await failoversFrom(first);
    expect(others).toEqual([]);
    expect(failover?.to).toBe(second);
    expect(failover?.message).toMatch(/not accepted|no access token|refused/i);
    const page = await operation.page();
    expect(page).toContain(providerName(first));
    expect(page).toContain(providerName(second));
    expect(await calls(first, 'not-sent')).toBe(1);
    expect(await calls(first, 'delivered')).toBe(0);
    // Until half of the calls that the breaker looks at were in vain.
    let operations = 1;
    while (!(await isOpen(first))) {
      expect(operations).toBeLessThan(BREAKER_CALLS);
      await expectDoneOnceBy(second, await prepare());
      operations += 1;
    }
    expect(await calls(first, 'not-sent')).toBe(operations);
    // From then on it is not asked any more.
    await expectDoneOnceBy(second, await prepare());
    expect(await calls(first, 'not-sent')).toBe(operations);
    expect(await failoversFrom(first)).toHaveLength(operations);
  });

  test('operators are told which providers refuse us', async () => {
    const admin = commandsOn({
      ...providerSettings(scene.stack.sandbox),
      ...settings,
      ...(refusesSmpp && {
        SMPP_URL: scene.stack.sandbox.smppUrl.replace(smscPassword, 'wrong'),
      }),
      DATABASE_URL: scene.stack.urlFor('operator'),
    });
    const { code, out } = await admin.admin('providers check');
    expect(code).toBe(2);
    for (const [first, second] of routes) {
      expect(out).toMatch(new RegExp(`^${first} +FAILED`, 'm'));
      expect(out).toMatch(new RegExp(`^${second} +ok`, 'm'));
    }
  });
});
