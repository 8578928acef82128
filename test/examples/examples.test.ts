import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findJava, findPython } from '../end-to-end/signature/foreign-signers/foreign-tools.js';
import { merchantClient } from '../support/clients.js';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../support/companies.js';
import { type Stack, startStack } from '../support/stack.js';
import { makeTopupProducts } from '../support/topups.js';

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

describe('the programs that sign', () => {
  const body = JSON.stringify({ voucherCode: 'AAAAAAAAAAAAAAAA', metadata: '{"name":"ቡና"}' });

  test.each([
    ['sign.sh', async () => ['examples/signing/sign.sh']],
    ['sign.py', async () => withProgram(await findPython(), 'sign.py')],
    ['sign.mjs', async () => [process.execPath, 'examples/signing/sign.mjs']],
    ['Sign.java', async () => withProgram(await findJava(), 'Sign.java')],
  ])('%s makes a signature that the service accepts', INSTALLED, async (name, find) => {
    const [command, ...args] = (await find()) ?? [];
    if (command === undefined) {
      process.stderr.write(`examples/signing/${name} is not tried: its language is missing\n`);
      return;
    }
    const keyFile = join(directory, 'private-key.pem');
    await writeFile(keyFile, createPrivateKey(pem()).export({ type: 'pkcs8', format: 'pem' }));
    const signed = `${body.slice(0, -1)},"idempotencyKey":"${name}"}`;
    const running = run(command, [...args, keyFile]);
    running.child.stdin?.end(signed);
    const signature = (await running).stdout.trim();
    const client = await merchantClient(stack, merchant);
    const answer = await client.postRaw('/topup-transactions/initiate-claim', signed, {
      'x-signature': signature,
    });
    // A voucher that is not there: the signature was accepted.
    expect(answer.body).toMatchObject({ statusCode: 4041 });
  });

  const pem = () => merchant.privateKey.export({ type: 'sec1', format: 'pem' });
  const withProgram = (tool: readonly string[] | undefined, program: string) =>
    tool && [...tool, `examples/signing/${program}`];
});
