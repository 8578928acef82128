import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, merchantClient } from '../../../support/clients.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import { type Commands, commandsOn, merchantWords } from '../../scene.ts';

/** What operators set is what the API goes by: on the whole service, with its own keys. */
let stack: Stack;
let operator: Commands;
let directory: string;

beforeAll(async () => {
  stack = await startStack();
  operator = commandsOn({
    DATABASE_URL: stack.urlFor('operator'),
    DIGEST_KEY: stack.config.secrets.digestKey.toString('base64'),
  });
  directory = await mkdtemp(join(tmpdir(), 'admin-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await stack?.stop();
});

const logIn = (surface: string, key: string) =>
  call(`${stack.url}/api/v1${surface}/client/auth/login`, { body: { key } });

describe('a partner that only commands have made', () => {
  let id: number;
  let key: string;
  let keyId: number;
  let addressId: number;

  beforeAll(async () => {
    id = (await operator.json('partner create --name New')).id;
    addressId = (await operator.json(`access address add 127.0.0.1 --partner ${id}`)).addressId;
    await operator.json(`money deposit --partner ${id} --wallet gift --amount 75.5`);
    const issued = await operator.json(`access api-key create --partner ${id} --name Shop`);
    key = issued.key;
    keyId = issued.keyId;
  });

  const balance = (token: string) =>
    call(`${stack.url}/api/v1/client/info/get-current-balance`, {
      headers: { 'x-api-token': token },
    });
  /** Commands hold for every process within two seconds, in tests at once or nearly so. */
  const becomes = (status: number, token: string) =>
    until(async () => expect((await balance(token)).status).toBe(status));

  test('logs in with its key and sees its money', async () => {
    expect(key).toMatch(/^gvs_test_/);
    const { body } = await logIn('', key);
    expect((await balance(body.accessToken)).body.data.eMoneyWalletBalance).toBe(75.5);
  });

  test('is stopped by suspension and goes on after it', async () => {
    const { accessToken } = (await logIn('', key)).body;
    await operator.json(`partner suspend ${id}`);
    await becomes(403, accessToken);
    await operator.json(`partner reinstate ${id}`);
    await becomes(200, accessToken);
  });

  test('is refused from an address that was removed', async () => {
    const { accessToken } = (await logIn('', key)).body;
    await operator.json(`access address remove ${addressId}`);
    await becomes(403, accessToken);
    await operator.json(`access address add 127.0.0.0/8 --partner ${id}`);
    await becomes(200, accessToken);
  });

  test('is refused with a key that was revoked, and lives on with a new one', async () => {
    const { accessToken } = (await logIn('', key)).body;
    const next = await operator.json(`access api-key create --partner ${id} --name Next`);
    await operator.json(`access api-key revoke ${keyId}`);
    await becomes(401, accessToken);
    expect((await logIn('', key)).status).toBe(401);
    expect((await logIn('', next.key)).status).toBe(200);
    const again = await operator.admin(`access api-key revoke ${keyId}`);
    expect(again.err).toBe(`There is no valid API key ${keyId}: see "access api-key list".\n`);
    const keys = await operator.json(`access api-key list --partner ${id}`);
    expect(keys.map((row: { revokedAt: unknown }) => row.revokedAt === null)).toEqual([
      false,
      true,
    ]);
  });

  test('gives a key less power, and more', async () => {
    const issued = await operator.json(
      `access api-key create --partner ${id} --name Reports --scopes read`,
    );
    expect(issued.scopes).toEqual(['read']);
    const widened = await operator.json(
      `access api-key set-scopes ${issued.keyId} --scopes topups,read`,
    );
    expect(widened).toMatchObject({ before: ['read'], after: ['read', 'topups'] });
    const rotated = await operator.json(`access api-key rotate ${issued.keyId} --overlap-hours 0`);
    const keys = await operator.json(`access api-key list --partner ${id}`);
    const listed = keys.find((row: { id: number }) => row.id === rotated.keyId);
    expect(listed.scopes).toEqual(['read', 'topups']);
    for (const scopes of ['', 'read,write'])
      expect(
        (await operator.admin(`access api-key set-scopes ${rotated.keyId} --scopes "${scopes}"`))
          .err,
      ).toContain('must be one or more of read, vouchers, topups');
  });

  test('limits what a key and the partner spend in a day', async () => {
    const issued = await operator.json(`access api-key create --partner ${id} --name Limited`);
    await operator.json(
      `access api-key set-daily-limits ${issued.keyId} --amount 100 --operations 3`,
    );
    const less = await operator.json(
      `access api-key set-daily-limits ${issued.keyId} --amount none`,
    );
    const same = await operator.json(
      `access api-key set-daily-limits ${issued.keyId} --operations 3`,
    );
    expect(same.changed).toBe(false);
    expect(less).toMatchObject({
      before: { dailyAmount: '100.000000', dailyOperations: 3 },
      after: { dailyAmount: null, dailyOperations: 3 },
    });
    await operator.json(`partner set-daily-limits ${id} --amount 5000`);
    expect(await operator.json(`partner show ${id}`)).toMatchObject({
      dailyAmount: '5000.000000',
      dailyOperations: null,
    });
    await operator.json(`partner set-daily-limits ${id} --amount none`);
    expect((await operator.admin(`partner show ${id}`)).out).toMatch(
      /daily amount +-\ndaily operations +-\n/,
    );
    expect((await operator.admin(`access api-key set-daily-limits ${issued.keyId}`)).err).toContain(
      'nothing to change',
    );
  });

  test('rotates a key: the new one works at once, the old one until its end', async () => {
    const issued = await operator.json(`access api-key create --partner ${id} --name Rotated`);
    const rotated = await operator.json(`access api-key rotate ${issued.keyId}`);
    const hoursLeft = (Date.parse(rotated.replaced.expiresAt) - Date.now()) / 3_600_000;
    expect(hoursLeft).toBeGreaterThan(23.9);
    expect(hoursLeft).toBeLessThan(24.1);
    const { accessToken } = (await logIn('', issued.key)).body;
    expect((await logIn('', rotated.key)).status).toBe(200);
    const again = await operator.admin(`access api-key rotate ${issued.keyId}`);
    expect(again.err).toContain('without an end: see "access api-key list"');

    const next = await operator.json(`access api-key rotate ${rotated.keyId} --overlap-hours 0`);
    expect((await logIn('', rotated.key)).status).toBe(401);
    expect((await logIn('', next.key)).status).toBe(200);
    await becomes(200, accessToken);
    const keys = await operator.json(`access api-key list --partner ${id}`);
    const stateOf = (keyId: number) => keys.find((row: { id: number }) => row.id === keyId).status;
    expect([issued, rotated, next].map(({ keyId }) => stateOf(keyId))).toEqual([
      'ENDING',
      'EXPIRED',
      'VALID',
    ]);
  });

  test('is told which calls were refused and why', async () => {
    expect((await logIn('', `${key.slice(0, -4)}none`)).status).toBe(401);
    await until(async () => {
      const calls = await operator.json(
        'access list-refused-calls --reason api-key-invalid --limit 1',
      );
      expect(calls).toEqual([
        expect.objectContaining({
          method: 'POST',
          route: '/api/v1/client/auth/login',
          sourceAddress: '127.0.0.1',
          keyPrefix: key.slice(0, 13),
          companyId: null,
        }),
      ]);
    });
    expect(await operator.json('access list-refused-calls --address 192.0.2.1')).toEqual([]);
    const own = await operator.json(`access list-refused-calls --partner ${id}`);
    expect(own.length).toBeGreaterThan(0);
  });

  test('shows a key once: it is neither kept nor audited', async () => {
    const { key: secret } = await operator.json(
      `access api-key create --partner ${id} --name Third`,
    );
    const kept = await stack.database
      .selectFrom('audit_log')
      .innerJoin('api_keys', 'api_keys.partner_id', 'audit_log.subject_id')
      .select(['details', 'key_name', 'key_prefix'])
      .execute();
    expect(JSON.stringify(kept)).not.toContain(secret.slice(12));
    const { out } = await operator.admin(`partner show ${id}`);
    expect(out).not.toContain(secret.slice(13));
  });
});

describe('a public key of a merchant', () => {
  const pemOf = (key: KeyObject, type: 'spki' | 'pkcs8' = 'spki') =>
    key.export({ type, format: 'pem' }).toString();
  const register = async (merchantId: number, pem: string) => {
    const file = join(directory, `${randomUUID()}.pem`);
    await writeFile(file, pem);
    return operator.admin(`access public-key add --merchant ${merchantId} --file ${file} --json`);
  };

  test('checks signatures from its registration to its revocation', async () => {
    const { id } = await operator.json(merchantWords(randomUUID()));
    await operator.json(`access address add 127.0.0.0/8 --merchant ${id}`);
    const { key } = await operator.json(`access api-key create --merchant ${id} --name Till`);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const merchant = { id, identifier: '', apiKey: key, privateKey, payoutNumber: '' };
    const client = await merchantClient(stack, merchant);
    const claim = () => client.post('/topup-transactions/initiate-claim', { voucherCode: 'X' });
    const becomes = (statusCode: number) =>
      until(async () => expect((await claim()).body.statusCode).toBe(statusCode));

    await becomes(401);
    const { publicKeyId, fingerprint } = JSON.parse((await register(id, pemOf(publicKey))).out);
    await becomes(4041);
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    const again = await register(id, `\n${pemOf(publicKey)}\n`);
    expect(JSON.parse(again.out)).toMatchObject({ changed: false });
    const [listed] = await operator.json(`access public-key list --merchant ${id}`);
    expect(listed).toMatchObject({ id: publicKeyId, fingerprint, revokedAt: null });
    await operator.json(`access public-key revoke ${publicKeyId}`);
    await becomes(401);
  });

  test.each([
    [
      'a key of another curve',
      () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey),
    ],
    ['an RSA key', () => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)],
    [
      'a private key',
      () => pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey, 'pkcs8'),
    ],
    ['no key at all', () => 'hello'],
  ])('is refused where it is %s', async (_what, pem) => {
    const { id } = await operator.json(merchantWords(randomUUID()));
    const refused = await register(id, pem());
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /^--file contains no usable key: This is .*openssl ecparam -name secp256k1.*\n$/,
    );
    expect(await operator.json(`access public-key list --merchant ${id}`)).toEqual([]);
  });

  test('is refused where another merchant has it, until it is revoked there', async () => {
    const pem = pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey);
    const first = (await operator.json(merchantWords(randomUUID()))).id;
    const second = (await operator.json(merchantWords(randomUUID()))).id;
    const { publicKeyId, fingerprint } = JSON.parse((await register(first, pem)).out);
    const refused = await register(second, pem);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toBe(
      `This key is valid as public key ${publicKeyId} of merchant ${first}: each merchant needs ` +
        `its own key pair. Fingerprint ${fingerprint}\n`,
    );
    expect(await operator.json(`access public-key list --merchant ${second}`)).toEqual([]);
    await operator.json(`access public-key revoke ${publicKeyId}`);
    expect((await register(second, pem)).code).toBe(0);
    const { out } = await operator.admin(`access public-key list --merchant ${second}`);
    expect(out).toMatch(/PROVEN AT .*\n.* - {2}/);
  });

  test('is refused where there is no such file', async () => {
    const refused = await operator.admin('access public-key add --merchant 1 --file /nowhere.pem');
    expect(refused.err).toBe('--file /nowhere.pem cannot be read (ENOENT).\n');
  });
});

describe('an address', () => {
  test.each(
    [
      '203.0.113.7',
      '203.0.113.0/24',
      '2001:db8::1',
      '2001:db8::/48',
      'till.shop.example',
      ['::ffff:1.2.3.4', '1.2.3.4'],
      ['203.0.113.7/24', '203.0.113.0/24'],
      ['2001:DB8:0::1', '2001:db8::1'],
      ['::ffff:11.0.0.0/104', '11.0.0.0/8'],
      ['2a01:1000::/20', '2a01:1000::/20'],
    ].map((row) => [row].flat()),
  )('%s is registered once', async (given = '', kept = given) => {
    const { id } = await operator.json('partner create --name Addressed');
    const first = await operator.json(`access address add ${given} --partner ${id}`);
    expect(first).toMatchObject({ changed: true, address: kept });
    const again = await operator.json(`access address add ${kept} --partner ${id}`);
    expect(again.changed).toBe(false);
  });

  test.each([
    '127.1',
    '0x7f000001',
    '*.shop.example',
    'localhost',
    '203.0.113.7/33',
    '1.2.3',
    '0.0.0.0',
    '224.0.0.1',
    'fe80::1%eth0',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/97',
    '::ffff:128.0.0.0/103',
    '128.0.0.0/1',
    '1.0.0.0/07',
    '2000::/3',
    '2002::/16',
  ])('%s is refused', async (address) => {
    const { id } = await operator.json('partner create --name Addressed');
    const refused = await operator.admin(`access address add ${address} --partner ${id}`);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^<address> must .*\n$/);
  });

  test('that is a name is kept as the DNS has it, and ten of them are the most', async () => {
    const { id } = await operator.json('partner create --name Named');
    const register = (name: string) => operator.admin(`access address add ${name} --partner ${id}`);
    await register('Bücher.Example.');
    const [kept] = await operator.json(`access address list --partner ${id}`);
    expect(kept.address).toBe('xn--bcher-kva.example');
    for (let index = 1; index < 10; index += 1)
      expect((await register(`till-${index}.shop.example`)).code).toBe(0);
    expect((await register('till-10.shop.example')).err).toContain('already has 10 names');
    expect((await register('203.0.113.7')).code).toBe(0);
  });

  test.each([
    ['nobody', ''],
    ['two companies', ' --partner 1 --merchant 1'],
  ])('of %s is refused', async (_whose, owner) => {
    const refused = await operator.admin(`access address add 203.0.113.7${owner}`);
    expect(refused.err).toBe('Use either --partner or --merchant.\n');
  });
});
