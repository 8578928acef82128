import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayOfTime } from '../src/domain/day-report.ts';
import { freePort } from '../src/local/processes.ts';
import type { DemoFile } from '../src/local/start/demo-data.ts';
import { welcome } from '../src/local/start/welcome.ts';
import { commandsOn } from './admin/scene.ts';
import { deposit, makeMerchant, makePartner } from './support/companies.ts';
import { providerSettings, type Stack, startStack } from './support/stack.ts';
import { makeTopupProducts } from './support/topups.ts';

const run = promisify(execFile);

let stack: Stack;
let demo: DemoFile;
let directory: string;

beforeAll(async () => {
  const port = await freePort();
  stack = await startStack({
    PORT: String(port),
    // The stories want every outcome in the answer, also on a machine that has much else to do.
    CALLER_WAIT_SECONDS: '55',
    CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`,
  });
  directory = await mkdtemp(join(tmpdir(), 'demo-'));
  const partner = await makePartner(stack);
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  const merchant = await makeMerchant(stack);
  const portal = { portalUrl: '', portalEmail: '', portalPassword: '' };
  demo = {
    partner: { baseUrl: `${stack.url}/api/v1/client`, apiKey: partner.apiKey, ...portal },
    merchant: {
      baseUrl: `${stack.url}/api/v1/merchant/client`,
      apiKey: merchant.apiKey,
      privateKeyPem: merchant.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      merchantId: merchant.id,
      ...portal,
    },
    staff: portal,
    sandboxUrl: stack.sandbox.url,
    temporalUiUrl: 'http://temporal.example',
    temporalAddress: stack.config.temporal.temporalAddress,
  };
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await stack?.stop();
});

/**
 * Runs the demo as a person does, with a demo.json in its data folder, or with none, and with the
 * database of the stack or another one.
 */
async function runDemo(
  file: DemoFile | undefined,
  databaseUrl = stack.config.database.databaseUrl,
) {
  const path = join(directory, 'demo.json');
  await rm(path, { force: true });
  if (file) await writeFile(path, JSON.stringify(file));
  const environment = {
    ...process.env,
    ...(providerSettings(stack.sandbox) as NodeJS.ProcessEnv),
    DATA_DIR: directory,
    DATABASE_URL: databaseUrl,
  };
  return run(process.execPath, ['src/demo.ts'], { env: environment }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (failure: { code: number; stdout: string; stderr: string }) => failure,
  );
}

/** What the statements of the demo say made each of their lines; numbers that vary are left out. */
const explanationsIn = (stdout: string): string[] =>
  [
    ...stdout.matchAll(
      /^ {5}[\d-]{10} [\d:]{8} \((?:[\d-]{10} )?\d\d:\d\d UTC\) {2}(.*?) {2,}[\d,.]+ .*$/gm,
    ),
  ].map(([, explanation = '']) =>
    explanation
      .replace(/^Top-up \d+/, 'Top-up')
      .replace(/^Voucher \d+/, 'Voucher')
      .replace(/RDM-\w+$/, 'RDM'),
  );

const failedTopup = [
  'Top-up, airtime for +2519*****006, attempt 1: failed',
  'Top-up, airtime for +2519*****006, attempt 1: failed, money returned',
];
const redeemedVoucher = [
  'Voucher generated',
  'Voucher redeemed: Test Merchant paid, redemption RDM',
  'Voucher redeemed: service fee, redemption RDM',
];
/** The lines of the airtime wallet, the gift wallet and what is reserved. */
const explained = [
  'Top-up, airtime for +2519*****000, attempt 1: delivered',
  ...failedTopup,
  'Top-up, airtime for +2519*****000, attempt 2: delivered',
  'Top-up, Package 15 for +2519*****000, attempt 1: delivered',
  ...failedTopup,
  'Top-up, airtime for +2517*****000, attempt 1: delivered',
  ...Array(5).fill('Voucher generated'),
  ...Array(5).fill(redeemedVoucher).flat(),
];

test('the demo plays every chapter, hides secrets and links the workflows', async () => {
  const { code, stdout, stderr } = await runDemo(demo);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain('✓ the merchant was paid ETB 487.50, the fee was ETB 12.50');
  expect(stdout).toContain('"statusCode": 4035');
  expect(stdout).toContain('✓ ETB 300.00 and the fee of ETB 7.50 are gone, ETB 692.50 are left');
  expect(stdout).toContain('✓ the voucher is redeemed and its balance is zero');
  expect(stdout).toContain('✓ ETB 50.00 of airtime were charged, once');
  expect(stdout).toContain('"statusCode": 424');
  expect(stdout).toContain('✓ the first attempt failed and the second was delivered');
  expect(stdout).toContain('✓ ETB 15.00 were charged, the price of the package');
  expect(stdout).toMatch(
    /http:\/\/temporal\.example\/namespaces\/default\/workflows\/redeem-voucher%3A[\w-]+\/[\w-]+/,
  );
  for (const sentence of [
    'it came by SMPP',
    'mpesa paid it',
    'gsma paid it',
    'Reloadly delivered it',
  ])
    expect(stdout).toContain(`✓ ${sentence}`);
  expect(explanationsIn(stdout)).toEqual(explained);
  expect(stdout).toMatch(/workflows\/top-up%3A\d+%3A[0-9a-f]{32}\/[\w-]+/);
  expect(stdout).toContain(
    'http://temporal.example/namespaces/default/workflows?query=Outcome%3D%22FAILED%22',
  );
  expect(stdout).not.toContain(demo.partner.apiKey);
  expect(stdout).not.toContain(demo.merchant.apiKey);
  expect(stdout).not.toMatch(/eyJ[\w-]+\./);
  // Not a terminal: no colours.
  expect(stdout).not.toContain('\u001b');
});

const ZONE = 'Africa/Addis_Ababa';

/** Compares today's statement of a provider as an operator does, from a file or from its API. */
async function reconcile(provider: string, source: 'file' | 'api') {
  const day = dayOfTime(new Date(), ZONE);
  const file = join(directory, `${provider}.csv`);
  const url = `${stack.sandbox.url}/statements/${provider}/${day}.csv?zone=${ZONE}`;
  await writeFile(file, await (await fetch(url)).text());
  const commands = commandsOn({
    DATABASE_URL: stack.urlFor('operator'),
    ...providerSettings(stack.sandbox),
  });
  const given = source === 'file' ? ['--file', file] : [];
  const words = ['money', 'reconcile', '--provider', provider, '--day', day, ...given, '--json'];
  const { code, out, err } = await commands.admin(words);
  expect(err).toBe('');
  return { code, ...JSON.parse(out) };
}

describe('the day of the demo, compared with the statement of each provider', () => {
  // Payouts cost one birr each.
  test.each([
    ['gsma', 'api', 4],
    ['gsma', 'file', 4],
    ['mpesa', 'file', 1],
    ['dt-one', 'api', 0],
    ['dt-one', 'file', 0],
    ['reloadly', 'file', 0],
  ] as const)(
    'has no difference at %s (%s), and its fees are booked',
    async (provider, source, fee) => {
      const { code, lines, cases, bookedFee } = await reconcile(provider, source);
      expect({ code, cases }).toEqual({ code: 0, cases: [] });
      expect(lines).toBeGreaterThan(0);
      expect(Number(bookedFee)).toBe(fee);
    },
  );
});

test.each(['plain', "it's"])('the call that a start prints works, in a folder %s', async (name) => {
  const folder = join(directory, name);
  await mkdir(folder);
  await writeFile(join(folder, 'demo.json'), JSON.stringify(demo, null, 2));
  const [call = ''] = /curl .*\\\n.*/.exec(welcome(demo, folder)) ?? [];
  const { stdout } = await run('sh', ['-c', call]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, accessToken: expect.any(String) });
});

describe('the demo stops with a sentence', () => {
  const nobody = 'http://127.0.0.1:9';

  test.each([
    ['without demo.json', () => undefined, /no .*demo\.json: start the service/],
    [
      'without a service',
      () => ({ ...demo, partner: { ...demo.partner, baseUrl: nobody } }),
      /Nothing answers at http:\/\/127\.0\.0\.1:9: start the service/,
    ],
    [
      'with a key that is refused',
      () => ({ ...demo, partner: { ...demo.partner, apiKey: `gvs_test_${'0'.repeat(30)}` } }),
      /was refused with 401: The API key is not valid/,
    ],
    ['without the sandbox', () => ({ ...demo, sandboxUrl: '' }), /reads codes from the sandbox/],
    [
      'without the database',
      () => demo,
      /The operator's command line fails: The database cannot be reached/,
      'postgres://nobody@127.0.0.1:9/none',
    ],
    [
      'without Temporal',
      () => ({ ...demo, temporalAddress: '127.0.0.1:9' }),
      /Temporal cannot be reached at 127\.0\.0\.1:9/,
    ],
  ])('%s', async (_case, file, words, databaseUrl?: string) => {
    const { code, stderr } = await runDemo(file(), databaseUrl);
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
