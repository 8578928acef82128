import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PartnerClient } from '../../clients/typescript/src/index.ts';
import { clientOperations } from '../../docs/generate/clients/client-operations.ts';
import { freePort, runProgram } from '../../src/local/processes.ts';
import { type DemoFile, readDemoFile } from '../../src/local/start/demo-data.ts';
import { type ServiceProcess, startProcess } from '../harness/service-process.ts';
import { until } from '../support/until.ts';
import { findBruno } from './find-bruno.ts';

/** Bruno may have to be installed first. */
const INSTALLATION_MS = 10 * 60_000;
const RUN_SECONDS = 120;
const OWNER = '+251911234567';

let program: string;
let folder: string;
let service: ServiceProcess;
let demo: DemoFile;

beforeAll(async () => {
  [program, folder] = await Promise.all([findBruno(), mkdtemp(join(tmpdir(), 'bruno-'))]);
  service = startProcess('src/start.ts', await settingsOf(join(folder, 'data')));
  const ready = until(() => expect(service.output()).toContain('Partner API'));
  await Promise.race([ready, service.ended]);
  const written = await readDemoFile(join(folder, 'data'));
  if (!written) throw new Error(`npm start ended:\n${service.output()}`);
  demo = written;
}, INSTALLATION_MS);

afterAll(async () => {
  await service?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** As people start it, but for the ports: limits and pauses are those of the service. */
async function settingsOf(dataDirectory: string) {
  const servers = ['sandbox', 'smtp', 'smpp', 'database', 'temporal', 'temporal-ui'];
  const ports: string[] = [];
  for (const name of servers) ports.push(`${name}=${await freePort()}`);
  return {
    DATA_DIR: dataDirectory,
    PORT: String(await freePort()),
    CODEC_SERVER_PORT: String(await freePort()),
    LOCAL_PORTS: ports.join(),
  };
}

interface SentRequest {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly data?: string;
  };
  readonly response: { readonly status: number | string };
}

/** Runs a collection in its order; whether all its assertions hold, and what it sent. */
async function run(
  surface: 'partner' | 'merchant',
  variables: Readonly<Record<string, string>>,
  options: readonly string[] = [],
) {
  const report = join(folder, `${surface}.json`);
  const { baseUrl, apiKey } = demo[surface];
  const { sandboxUrl } = demo;
  const values = { baseUrl, apiKey, sandboxUrl, msisdn: OWNER, ...variables };
  const { exitCode, output } = await runProgram(
    program,
    [
      ...['run', '--env', 'test', '--noproxy', '--reporter-json', report, ...options],
      ...Object.entries(values).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]),
    ],
    { timeoutSeconds: RUN_SECONDS, directory: `clients/bruno/${surface}` },
  );
  const [{ results }] = JSON.parse(await readFile(report, 'utf8')) as [
    { readonly results: readonly SentRequest[] },
  ];
  return { isGreen: exitCode === 0, output, results };
}

const statusesOf = (results: readonly SentRequest[]): Record<string, number | string> =>
  Object.fromEntries(results.map(({ name, response }) => [name, response.status]));

/** What is expected of a run: every operation of the document answers 200. */
const allDone = (surface: 'partner' | 'merchant'): Record<string, number> =>
  Object.fromEntries(clientOperations(surface).map(({ summary }) => [summary, 200]));

const distinct = (values: readonly unknown[]): number => new Set(values).size;

test('the collection of partners calls every operation, each order under a new key', async () => {
  const { isGreen, output, results } = await run('partner', {});
  expect(isGreen, output).toBe(true);
  expect(statusesOf(results)).toEqual({
    ...allDone('partner'),
    'Buy a package: the operator refuses': 424,
  });
  const keys = results.flatMap(({ request }) => request.headers['Idempotency-Key'] ?? []);
  const orders = clientOperations('partner').filter(({ key }) => key === 'header');
  expect(distinct(keys)).toBe(orders.length + 1);
  expect(keys).toHaveLength(orders.length + 1);
});

/** The values of a merchant's run, with a new voucher of the owner. */
async function merchantValues(privateKeyPem: string) {
  const client = new PartnerClient(demo.partner);
  const { items } = await client.denominations.list({ 'filter.amountEtb': '500' }).firstPage();
  const { voucher } = await client.vouchers.generate({
    denominationId: items[0]?.id ?? 0,
    merchantId: demo.merchant.merchantId,
    msisdn: OWNER,
  });
  return {
    voucherCode: voucher.voucherCode,
    privateKey: privateKeyPem.replaceAll('\n', '\\n'),
  };
}

const DEVELOPER = ['--sandbox', 'developer'];

test('the collection of merchants calls every operation, signed, and redeems a voucher', async () => {
  const values = await merchantValues(demo.merchant.privateKeyPem);
  const { isGreen, output, results } = await run('merchant', values, DEVELOPER);
  expect(isGreen, output).toBe(true);
  expect(statusesOf(results)).toEqual(allDone('merchant'));
});

test('a run fails where the service refuses, as it does a signature of another key', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const values = await merchantValues(
    privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  );
  const { isGreen, output, results } = await run('merchant', values, DEVELOPER);
  expect(isGreen).toBe(false);
  expect(output).toContain('expected 401 to equal 200');
  const statuses = statusesOf(results);
  expect(statuses['Start a redemption']).toBe(401);
  expect(statuses['Voucher detail']).toBe(200);
});
