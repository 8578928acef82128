import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOperations } from '../../docs/generate/clients/client-operations.ts';
import { runCommand } from '../../src/embedded/command.ts';
import { partnerClient } from '../support/clients.ts';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../support/companies.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { makeTopupProducts } from '../support/topups.ts';
import { findBruno } from './find-bruno.ts';

/** Bruno may have to be installed first. */
const INSTALLATION_MS = 10 * 60_000;
const RUN_SECONDS = 120;
const OWNER = '+251911234567';

let program: string;
let folder: string;
let stack: Stack;
let partner: TestPartner;
let merchant: TestMerchant;

beforeAll(async () => {
  [program, folder, stack] = await Promise.all([
    findBruno(),
    mkdtemp(join(tmpdir(), 'bruno-')),
    startStack(),
  ]);
  [partner, merchant] = await Promise.all([makePartner(stack), makeMerchant(stack)]);
  await deposit(stack, partner.id, '1000', 'airtime');
  await makeTopupProducts(stack, partner);
}, INSTALLATION_MS);

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
  await stack?.stop();
});

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
  const base = `${stack.url}/api/v1/${surface === 'partner' ? 'client' : 'merchant/client'}`;
  const values = { baseUrl: base, sandboxUrl: stack.sandbox.url, msisdn: OWNER, ...variables };
  const { exitCode, output } = await runCommand(
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
  const { isGreen, output, results } = await run('partner', { apiKey: partner.apiKey });
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
async function merchantValues(privateKey: KeyObject) {
  const client = await partnerClient(stack, partner);
  const { body } = await client.post('/topup-transactions/generate-voucher', {
    denominationId: partner.denominations[500],
    merchantId: merchant.id,
    msisdn: OWNER,
  });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    apiKey: merchant.apiKey,
    voucherCode: body.data.voucher.voucherCode as string,
    privateKey: pem.replaceAll('\n', '\\n'),
  };
}

const DEVELOPER = ['--sandbox', 'developer'];

test('the collection of merchants calls every operation, signed, and redeems a voucher', async () => {
  const values = await merchantValues(merchant.privateKey);
  const { isGreen, output, results } = await run('merchant', values, DEVELOPER);
  expect(isGreen, output).toBe(true);
  expect(statusesOf(results)).toEqual(allDone('merchant'));
});

test('a run fails where the service refuses, as it does a signature of another key', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const values = await merchantValues(privateKey);
  const { isGreen, output, results } = await run('merchant', values, DEVELOPER);
  expect(isGreen).toBe(false);
  expect(output).toContain('expected 401 to equal 200');
  const statuses = statusesOf(results);
  expect(statuses['Start a redemption']).toBe(401);
  expect(statuses['Voucher detail']).toBe(200);
});
