import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callbackProviders } from '../../../src/config/settings/provider-settings.ts';
import { addRoute } from '../../../src/db/providers.ts';
import { freePort } from '../../../src/local/processes.ts';
import { commandsOn } from '../../admin/scene.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { invitationsOn } from '../../pages/portal/invitation-scene.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../runtime/tracing/otlp-receiver.ts';
import { type Answer, call } from '../../support/clients.ts';
import { deposit, type TestMerchant } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { CLAIM } from '../gift/gift-scene.ts';
import { AIRTIME, RETRY, sale } from '../topups/topup-scene.ts';
import {
  createCanary,
  createClaimControl,
  createControl,
  secretsInDatabase,
  secretsInHistories,
} from './canary.ts';
import { type ProcessGifts, sellGifts, untilAnswered } from './process-gifts.ts';
import { type ProcessScene, setProcessScene } from './process-scene.ts';
import { changeAccess, decodePayloads, supportCustomers } from './support-day.ts';

/**
 * What somebody finds who has the database, the histories, the logs, the metrics and the traces of a day
 * with six providers: routes, failovers, callbacks, delivery reports, checks of payout accounts,
 * statements, invitations, searches and repairs.
 */
const canary = createCanary();

/** Settings that are secret, with values that are found again. */
const SECRETS = Object.fromEntries(
  [
    ...['RELOADLY_CALLBACK_SECRET', 'MPESA_CONSUMER_SECRET', 'MPESA_SECURITY_CREDENTIAL'],
    ...['AIRTIME_SECRET', 'RELOADLY_CLIENT_SECRET'],
  ].map((name) => [name, `canary-${randomUUID()}`]),
);

const CALLBACK_SECRETS = Object.fromEntries(
  callbackProviders.map((name) => [name, `canary-${randomUUID()}`]),
);

let scene: ProcessScene;
let gifts: ProcessGifts;
let stack: Stack;
let receiver: OtlpReceiver;
let operator: ReturnType<typeof commandsOn>;
let processes: Readonly<Record<'api' | 'worker', ServiceProcess>>;
let numbers = 0;

const numbered = (suffix: string): string => {
  numbers += 1;
  const msisdn = `+25195${String(numbers).padStart(4, '0')}${suffix}`;
  canary.add('number', msisdn);
  return msisdn;
};

const setFault = (provider: string, body: object) =>
  call(`${scene.sandboxUrl}/faults/${provider}`, { method: 'PUT', body });

beforeAll(async () => {
  scene = await setProcessScene();
  for (const [name, value] of Object.entries({ ...scene.settings, ...SECRETS }))
    if (name in SECRETS || /^(SMS_API_KEY|MOBILE_MONEY_SECRET|DIGEST_KEY|.*_KEYS)$/.test(name))
      canary.add('setting', (value ?? '').replace(/^[\w-]+:/, ''));
  for (const value of Object.values(CALLBACK_SECRETS)) canary.add('setting', value);
  receiver = await startOtlpReceiver();
  const port = String(await freePort());
  const callbacks = `http://127.0.0.1:${port}/callbacks`;
  scene.start('sandbox', {
    SANDBOX_SMS_REPORT_URL: `${callbacks}/africas-talking/${CALLBACK_SECRETS['africas-talking']}`,
  });
  expect(await scene.start('migrate').ended).toBe(0);
  gifts = await sellGifts(scene, canary, () => stack);
  const settings = {
    ...SECRETS,
    PORT: port,
    LOG_LEVEL: 'trace',
    METRICS_PORT: '0',
    METRICS_READ_SECONDS: '0.2',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    WORKER_PICKUP_SECONDS: '0.1',
    CALLBACK_URL: callbacks,
    CALLBACK_SECRETS: Object.entries(CALLBACK_SECRETS)
      .map((pair) => pair.join('='))
      .join(),
  };
  const [worker, api] = [
    scene.start('worker', { ...settings, DATABASE_URL: await scene.databaseUrlFor('worker') }),
    scene.start('api', { ...settings, DATABASE_URL: await scene.databaseUrlFor('api') }),
  ];
  await worker.logged('Worker is running');
  stack = scene.stackAt((await api.logged('API is listening')).port);
  processes = { api, worker };
  operator = commandsOn({
    ...scene.settings,
    ...SECRETS,
    DATABASE_URL: await scene.databaseUrlFor('operator'),
  });
  await makeTopupProducts(scene.stackAt(0), gifts.partner);
  await deposit(scene.stackAt(0), gifts.partner.id, '10000', 'airtime');
  const always = { partner_id: null, merchant_id: null, amount_from: null, amount_to: null };
  for (const [kind, provider, position, named] of [
    ['sms', 'africas-talking', 1, null],
    ['sms', 'smpp', 2, null],
    ['payout', 'mpesa', 1, null],
    ['payout', 'gsma', 2, null],
    ['topup-airtime', 'reloadly', 1, 'SAFARICOM_ETHIOPIA'],
    ['topup-airtime', 'dt-one', 2, null],
  ] as const)
    await scene.database
      .transaction()
      .execute((transaction) =>
        addRoute(transaction, { kind, provider, position, ...always, operator: named }),
      );
});
afterAll(async () => {
  await scene?.stop();
  await receiver?.close();
});

/** A payment through M-Pesa, which takes whole birr alone. */
async function payWhole(merchant: TestMerchant): Promise<Answer> {
  const { voucherCode, msisdn } = await gifts.generate(merchant);
  await gifts.postSigned(merchant, CLAIM, { voucherCode, amount: 40, idempotencyKey: voucherCode });
  const { body } = await call(`${scene.sandboxUrl}/messages?to=${encodeURIComponent(msisdn)}`);
  const [verificationCode = ''] = /\b\d{6}(?:\d\d)?\b/.exec(body[0].text) ?? [];
  canary.add('verification code', verificationCode);
  const redemption = { voucherCode, verificationCode, msisdn, idempotencyKey: `${voucherCode}!` };
  return untilAnswered(() =>
    gifts.postSigned(merchant, '/topup-transactions/redeem-gift', redemption),
  );
}

const topup = async (msisdn: string) => {
  const client = await gifts.asPartner();
  return client.post(AIRTIME, { amount: 50, msisdn, ...sale });
};

/** The providers that were asked. */
async function providersIn(table: 'redemptions' | 'topup_attempts'): Promise<(string | null)[]> {
  const rows = await scene.database
    .selectFrom(table)
    .innerJoin('placements', 'placements.operation_id', `${table}.operation_id`)
    .select('placements.provider')
    .distinct()
    .execute();
  return rows.map(({ provider }) => provider).sort();
}

describe('a day', () => {
  test('payments through both providers, one refused, one whose account is refused', async () => {
    for (const suffix of ['000', '006', '026']) {
      const merchant = await gifts.makeShop(suffix);
      const redeem = await gifts.claim(merchant);
      expect((await untilAnswered(redeem)).body.success).toBe(suffix === '000');
      await payWhole(merchant);
    }
    expect(await providersIn('redemptions')).toEqual(['gsma', 'mpesa']);
  });

  test('codes by both SMS providers, and one that was not delivered', async () => {
    const merchant = await gifts.makeShop('000');
    await setFault('africas-talking', { answers: 'too-many-requests' });
    await gifts.claim(merchant);
    await setFault('africas-talking', {});
    const { voucherCode } = await gifts.generate(merchant, '015');
    await gifts.postSigned(merchant, CLAIM, { voucherCode, idempotencyKey: voucherCode });
    await until(async () => {
      const rows = await scene.database.selectFrom('messages').select('delivery').execute();
      expect(rows.map(({ delivery }) => delivery)).toContain('NOT_DELIVERED');
    });
  });

  test('top-ups through both providers, failed ones, and a retry to another number', async () => {
    // A caller, an operator and an agent each retry one that failed.
    for (const start of ['+25193', '+25171'])
      for (const suffix of ['000', '002', '002']) {
        const msisdn = numbered(suffix).replace('+25195', start);
        canary.add('number', msisdn);
        await topup(msisdn);
      }
    const failed = await scene.database
      .selectFrom('topups')
      .select('id')
      .where('status', '=', 'FAILED')
      .executeTakeFirstOrThrow();
    const client = await gifts.asPartner();
    await client.post(RETRY, { transactionId: failed.id, msisdn: numbered('000') });
    expect(await providersIn('topup_attempts')).toEqual(['dt-one', 'reloadly']);
  });

  test('callbacks that nobody sent: wrong secrets, wrong shapes, numbers in every field', async () => {
    const { payment_reference: reference } = await scene.database
      .selectFrom('placements')
      .select('reference as payment_reference')
      .where('kind', '=', 'payment')
      .where('provider', '=', 'mpesa')
      .executeTakeFirstOrThrow();
    const number = numbered('000');
    const words = { ResultDesc: `To ${number}`, TransactionID: 'X1', ConversationID: 'AG_2' };
    const mpesa = `/mpesa/${CALLBACK_SECRETS.mpesa}/payment/${reference}`;
    const bodies: readonly object[] = [
      { Result: { ResultCode: 2001, ...words } },
      { id: number, phoneNumber: number, status: number, failureReason: number },
      { data: { customIdentifier: number }, external_id: number, number },
    ];
    const paths = [
      ...[mpesa, `/mpesa/${CALLBACK_SECRETS['africas-talking']}/payment/${reference}`, '/mpesa'],
      `/africas-talking/${CALLBACK_SECRETS['africas-talking']}`,
      `/africas-talking/${CALLBACK_SECRETS['africas-talking']}x`,
      `/gsma/${CALLBACK_SECRETS.gsma}`,
      `/airtime/${CALLBACK_SECRETS['dt-one']}`,
      `/reloadly/${SECRETS.RELOADLY_CALLBACK_SECRET}`,
      `/nothing/${SECRETS.RELOADLY_CALLBACK_SECRET}/${number}`,
    ];
    const statuses = new Set<number>();
    for (const path of paths)
      for (const body of bodies)
        for (const method of ['POST', 'PUT']) {
          const headers = { 'x-correlationid': reference, 'x-reloadly-signature': number };
          const url = `${stack.url}/callbacks${path}?to=${encodeURIComponent(number)}`;
          statuses.add((await call(url, { method, body, headers })).status);
        }
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 404]));
    const results = await scene.database
      .selectFrom('mpesa_results')
      .select('description')
      .execute();
    expect(results.map(({ description }) => description)).toContain('To ***00');
  });

  test('an invitation by mail and text', async () => {
    const invitations = invitationsOn(stack);
    const { id, email, phone } = await invitations.newMerchant({ suffix: '015' });
    await invitations.invite(id);
    const path = await invitations.mailedPath(email);
    canary.add('token', path.split('/').at(-1) ?? '');
    canary.add('merchant number', phone);
    expect((await invitations.activate(path)).answer.status).toBe(303);
  });

  test('commands of operators: searches, repairs, statements, and reasons that say too much', async () => {
    const number = numbered('000');
    const { msisdn, voucherCode } = await gifts.generate(await gifts.makeShop('000'));
    for (const what of [msisdn, voucherCode])
      expect((await operator.admin(['--actor', 'hanna', 'desk', 'find', what])).code).toBe(0);
    const topup = await scene.database
      .selectFrom('topups')
      .select('id')
      .where('status', '=', 'FAILED')
      .executeTakeFirstOrThrow();
    const [shown] = (await operator.json(`top-up show ${topup.id}`)).repairs;
    const retry = [...shown.command.split(' '), '--facts', shown.facts, '--msisdn', number];
    expect(await operator.admin([...retry, '--why', `Not ${msisdn}`])).toMatchObject({ code: 0 });
    const erase = ['privacy', 'erase-number', numbered('000'), '--why'];
    expect(await operator.admin([...erase, `Of ${number}`])).toMatchObject({ code: 1 });
    const today = new Date().toISOString().slice(0, 10);
    for (const provider of ['gsma', 'dt-one'])
      await operator.admin(['money', 'reconcile', '--provider', provider, '--day', today]);
    await operator.admin(['providers', 'check']);
  });
});

describe('people of the service', () => {
  test('an agent finds, looks at the whole number, and repairs', async () => {
    await supportCustomers({ scene, gifts, canary, stack }, numbered('000'));
  });

  test('an owner is told by e-mail about another API key', async () => {
    await changeAccess({ scene, gifts, canary, stack }, async (partnerId) => {
      const command = [
        'access',
        'api-key',
        'create',
        '--partner',
        String(partnerId),
        '--name',
        'Reports',
      ];
      const { code, out } = await operator.admin(command);
      expect(code).toBe(0);
      return /\b[\w-]{32,}\b/.exec(out)?.[0] ?? '';
    });
  });

  test('the codec server decrypts for those who may, and this search finds a number in base64', async () => {
    const msisdn = numbered('000');
    const port = await freePort();
    const answer = await decodePayloads({ scene, gifts, canary, stack }, msisdn, port);
    expect(canary.foundIn(answer)).toEqual(['number']);
  });
});

describe('a dump of it', () => {
  test('of the database: secrets only where they belong', async () => {
    expect(
      await secretsInDatabase(scene.database, await createClaimControl(scene.database)),
    ).toContain('vouchers.serial_number: serial number of a voucher');
    expect(await secretsInDatabase(scene.database, canary)).toEqual([
      'merchant_invitations.msisdn: merchant number',
      'merchant_payout_accounts.party_value: payout number',
      'merchants.phone: merchant number',
      'redemptions.payee: payout number',
    ]);
  });

  test('of the histories: none', async () => {
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_TASK_QUEUE: taskQueue = '' } = scene.settings;
    const { found, workflowIds } = await secretsInHistories({ address, taskQueue }, canary);
    expect(workflowIds.length).toBeGreaterThan(20);
    expect(found).toEqual([]);
    const control = await secretsInHistories(
      { address, taskQueue },
      await createClaimControl(scene.database),
    );
    expect(control.found).toHaveLength(1);
  });

  test('of the metrics: none', async () => {
    const scrape = async (port: unknown) =>
      (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const worker = await scrape((await processes.worker.logged('Worker is running')).metricsPort);
    const api = await scrape((await processes.api.logged('API is listening')).metricsPort);
    expect(worker).toContain('call="check account"');
    // No label has a value that a caller chose: a setting, and what stands for the path of a secret.
    const { TEMPORAL_TASK_QUEUE: taskQueue = '' } = scene.settings;
    expect(createControl('task queue', taskQueue).foundIn(worker)).toHaveLength(1);
    const route = '/callbacks/mpesa/:secret/:kind/:reference';
    expect(createControl('route', route).foundIn(api)).toHaveLength(1);
    expect(canary.foundIn(worker)).toEqual([]);
    expect(canary.foundIn(api)).toEqual([]);
  });

  test('of the logs, also at the level of a search for faults: none', async () => {
    for (const process of [processes.api, processes.worker]) expect(await process.stop()).toBe(0);
    const output = scene.output();
    expect(output).toContain('/callbacks/mpesa/:secret/:kind/:reference');
    expect(output).toContain('A payout account is not paid');
    expect(output).toContain('Payloads were decrypted');
    expect(output).toContain('A sign-in was refused');
    expect((await createClaimControl(scene.database)).foundIn(output)).toHaveLength(1);
    expect(canary.foundIn(output)).toEqual([]);
  });

  test('of the traces, up to the end of both processes: none', async () => {
    expect(receiver.text()).toContain('/callbacks/');
    const control = await createClaimControl(scene.database);
    for (const process of ['api', 'worker'])
      expect(control.foundIn(receiver.text(process)), process).toHaveLength(1);
    expect(canary.foundIn(receiver.text())).toEqual([]);
  });
});
