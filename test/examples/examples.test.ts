import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findJava, findPython } from '../end-to-end/signature/foreign-signers/foreign-tools.ts';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../support/companies.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { makeTopupProducts } from '../support/topups.ts';

const run = promisify(execFile);
/** A language may have to be installed first. */
const INSTALLED = { timeout: 300_000 };

let stack: Stack;
let directory: string;
let partner: TestPartner;
let merchant: TestMerchant;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  stack = await startStack();
  directory = await mkdtemp(join(tmpdir(), 'examples-'));
  partner = await makePartner(stack);
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  merchant = await makeMerchant(stack);
  const demo = {
    partner: { baseUrl: `${stack.url}/api/v1/client`, apiKey: partner.apiKey },
    merchant: {
      baseUrl: `${stack.url}/api/v1/merchant/client`,
      apiKey: merchant.apiKey,
      privateKeyPem: merchant.privateKey.export({ type: 'sec1', format: 'pem' }),
      merchantId: merchant.id,
    },
    sandboxUrl: stack.sandbox.url,
  };
  await writeFile(join(directory, 'demo.json'), JSON.stringify(demo, null, 2));
  environment = {
    ...process.env,
    DATA_DIR: directory,
    DENOMINATION: String(partner.denominations[500]),
  };
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await stack?.stop();
});

/** The output of an example, as a person has it who calls it from elsewhere. */
const example = async (name: string): Promise<string> =>
  (await run(join(process.cwd(), 'examples', name), { env: environment, cwd: tmpdir() })).stdout;

test('first-voucher.sh generates, claims and redeems a voucher', async () => {
  const output = await example('first-voucher.sh');
  expect(output).toContain('"message":"Voucher generated"');
  expect(output).toMatch(/The phone shows \d{6}\./);
  expect(output).toContain('"message":"Voucher redeemed"');
  // 500 less the fee of 2.5 %, in the provider's own books.
  expect(output.split('6. ')[1]).toMatch(/487\.5/);
});

test('first-voucher.sh ends where it is refused', async () => {
  const failure = await run('examples/first-voucher.sh', {
    env: { ...environment, DENOMINATION: String(partner.denominations.unpriced) },
  }).catch((error: { code: number; stdout: string }) => error);
  expect(failure).toMatchObject({ code: 1 });
  expect(failure.stdout).toContain('2. ');
  expect(failure.stdout).not.toContain('3. ');
});

test.each(['first-voucher.sh', 'first-top-up.sh'])(
  '%s ends at a log-in that is refused, and says why',
  async (name) => {
    const other = await mkdtemp(join(directory, 'wrong-key-'));
    const demo = JSON.parse(await readFile(join(directory, 'demo.json'), 'utf8'));
    demo.partner.apiKey = `${demo.partner.apiKey.slice(0, -4)}0000`;
    await writeFile(join(other, 'demo.json'), JSON.stringify(demo, null, 2));
    const failure = await run(`examples/${name}`, {
      env: { ...environment, DATA_DIR: other },
    }).catch((error: { code: number; stdout: string; stderr: string }) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining('"statusCode":401') });
    expect(failure.stdout).not.toMatch(/^ *\d\. (?!The partner logs in)/m);
  },
);

test('first-top-up.sh tops up, retries and buys a package', async () => {
  const output = await example('first-top-up.sh');
  const [, airtime, failed, retried, bought] = output.split(/^\d\. /m);
  expect(airtime).toContain('"message":"Delivered"');
  expect(failed).toContain('"statusCode":424');
  expect(retried).toContain('"message":"Delivered"');
  expect(retried).toContain('"attempt":2');
  expect(bought).toContain('"message":"Delivered"');
});

test('lists.sh is answered with every list', async () => {
  const answers = (await example('lists.sh')).trim().split(/^GET .*\n/m);
  const parsed = answers.filter(Boolean).map((text) => JSON.parse(text));
  expect(parsed).toHaveLength(8);
  expect(parsed).toEqual(parsed.map(() => expect.objectContaining({ success: true })));
});

describe('the programs that log in and send a signed request', () => {
  type Find = () => Promise<readonly string[] | undefined>;

  test.for<[name: string, type: 'sec1' | 'pkcs8', find: Find]>([
    ['claim.sh', 'sec1', async () => ['sh', fileOf('claim.sh')]],
    ['claim.py', 'pkcs8', async () => withFile(await findPython(), 'claim.py')],
    ['claim.mjs', 'sec1', async () => [process.execPath, fileOf('claim.mjs')]],
    ['Claim.java', 'pkcs8', async () => withFile(await findJava(), 'Claim.java')],
    ['go/main.go', 'sec1', () => installed('go', 'version', ['-C', fileOf('go'), 'run', '.'])],
    ['go/main.go', 'pkcs8', () => installed('go', 'version', ['-C', fileOf('go'), 'run', '.'])],
    ['claim.php', 'sec1', () => installed('php', '--version', [fileOf('claim.php')])],
    ['Claim.cs', 'sec1', () => installed('dotnet', '--version', ['run', fileOf('Claim.cs')])],
  ])(
    '%s reads a key in %s, and its request is accepted',
    INSTALLED,
    async ([name, type, find], { skip }) => {
      const [command, ...args] = (await find()) ?? [];
      if (command === undefined) return skip(missing(name));
      const { stdout } = await run(command, [...args, await writeKey(type), 'AAAAAAAAAAAAAAAA'], {
        env: {
          ...process.env,
          BASE_URL: `${stack.url}/api/v1/merchant/client`,
          API_KEY: merchant.apiKey,
        },
      });
      // A voucher that is not there: log-in and signature were accepted.
      expect(JSON.parse(stdout)).toMatchObject({ statusCode: 4041 });
    },
  );

  const fileOf = (name: string) => `examples/signing/${name}`;

  const withFile = (tool: readonly string[] | undefined, name: string) =>
    tool && [...tool, fileOf(name)];

  /** The command with its arguments where it is installed, which `probe` shows. */
  const installed = (command: string, probe: string, args: readonly string[]) =>
    run(command, [probe]).then(
      () => [command, ...args],
      () => undefined,
    );
});

/** The languages that a machine may lack even where CI runs. */
const OPTIONAL = ['claim.php', 'Claim.cs'];

/**
 * Why a program is skipped.
 *
 * @throws an Error in CI, where only the optional ones may be left out
 */
function missing(name: string): string {
  const notice = `examples/signing/${name} is not tried: its language is missing`;
  if (process.env.CI && !OPTIONAL.includes(name)) throw new Error(notice);
  return notice;
}

async function writeKey(type: 'sec1' | 'pkcs8'): Promise<string> {
  const keyFile = join(directory, `private-key-${type}.pem`);
  const pem = merchant.privateKey.export({ type: 'sec1', format: 'pem' });
  await writeFile(keyFile, createPrivateKey(pem).export({ type, format: 'pem' }));
  return keyFile;
}
