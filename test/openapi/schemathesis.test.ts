import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/local/processes.ts';
import { call, partnerClient } from '../support/clients.ts';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../support/companies.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { makeTopupProducts } from '../support/topups.ts';
import { findSchemathesis } from './schemathesis/find-schemathesis.ts';

/** Python's packages may have to be installed first. */
const INSTALLATION_MS = 10 * 60_000;
/** So long only on a busy machine. */
const RUN_SECONDS = 900;

const MANY = '100000000';
/** So many calls of one company as a run makes are no misuse here. */
const LIMITS_LIFTED = {
  CALLS_PER_ADDRESS_AND_MINUTE: MANY,
  CALLS_PER_COMPANY_AND_MINUTE: MANY,
  KEY_MISSES_PER_PREFIX_AND_HOUR: MANY,
  MESSAGES_PER_NUMBER_AND_DAY: MANY,
};

const fileAt = (name: string) => fileURLToPath(new URL(`./schemathesis/${name}`, import.meta.url));
const [configuration, hooks] = [fileAt('schemathesis.toml'), fileAt('hooks.py')];

let program: string;
let folder: string;
let stack: Stack;
let partner: TestPartner;
let merchant: TestMerchant;
let known: Record<string, unknown[]>;

beforeAll(async () => {
  [program, folder, stack] = await Promise.all([
    findSchemathesis(),
    mkdtemp(join(tmpdir(), 'schemathesis-')),
    startStack(LIMITS_LIFTED),
  ]);
  [partner, merchant] = await Promise.all([
    makePartner(stack, { giftWallet: '10000000' }),
    makeMerchant(stack),
  ]);
  await deposit(stack, partner.id, '10000000', 'airtime');
  known = await makeKnown();
}, INSTALLATION_MS);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await stack.stop();
});

/** Values that the service knows, by the name of their field in requests. */
async function makeKnown(): Promise<typeof known> {
  const products = await makeTopupProducts(stack, partner);
  const client = await partnerClient(stack, partner);
  const denominationId = partner.denominations[1000];
  const generate = async (msisdn: string | null): Promise<string> => {
    const sale = { denominationId, merchantId: merchant.id, msisdn };
    const { body } = await client.post('/topup-transactions/generate-voucher', sale);
    return body.data.voucher.voucherCode;
  };
  // The last two digits of a number decide how a top-up ends: one ends well, one fails.
  const topup = { amount: 10, msisdn: FAILING, exchangeRate: 57, currency: 'USD' };
  const failed = await client.post('/topup-transactions/airtime-topup', {
    ...topup,
    originatingCountry: 'US',
  });
  const log = await client.get('/events?limit=1');
  return {
    after: [log.body.data.next],
    merchantId: [merchant.id],
    merchantIdentifier: [merchant.identifier],
    denominationId: [denominationId, partner.denominations[500]],
    productId: [products.ethioPackage],
    transactionId: [failed.body.data.transactionId],
    redemptionId: [1],
    voucherCode: [await generate(SERVED), await generate(null)],
    msisdn: [SERVED, '0911 234 567'],
  };
}

const SERVED = '+251911234567';
const FAILING = '0911000002';

/** Runs Schemathesis over a document against the service; its output where it finds something. */
async function findings(
  surface: 'partner' | 'merchant',
  location: string,
  options: readonly string[] = [],
): Promise<string> {
  const company = surface === 'partner' ? partner : merchant;
  const base = `${stack.url}/api/v1/${surface === 'partner' ? 'client' : 'merchant/client'}`;
  const { exitCode, output } = await runProgram(
    program,
    ['--config-file', configuration, 'run', location, '--url', base, '--no-color', ...options],
    {
      timeoutSeconds: RUN_SECONDS,
      directory: folder,
      environment: {
        PATH: String(process.env.PATH),
        PYTHONDONTWRITEBYTECODE: '1',
        API_KEY: company.apiKey,
        PRIVATE_KEY: merchant.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        SCHEMATHESIS_HOOKS: hooks,
        KNOWN: JSON.stringify({ ...known, key: [company.apiKey] }),
      },
    },
  );
  return exitCode === 0 ? '' : output;
}

const document = (surface: 'partner' | 'merchant') => `${stack.url}/docs/${surface}/openapi.json`;

describe.each(['partner', 'merchant'] as const)('the %s API', (surface) => {
  it(
    'answers every call as its document says, and refuses what it forbids',
    async () => {
      const found = await findings(surface, document(surface));
      expect(found).toBe('');
    },
    RUN_SECONDS * 1_000,
  );
});

it('notices an answer that the document lacks', async () => {
  const { body: spoiled } = await call(document('merchant'));
  delete spoiled.paths['/auth/login'].post.responses['400'];
  const file = join(folder, 'spoiled.json');
  await writeFile(file, JSON.stringify(spoiled));
  const options = ['--include-path', '/auth/login', '--phases', 'coverage'];
  const found = await findings('merchant', file, options);
  expect(found).toContain('Undocumented status code');
});
