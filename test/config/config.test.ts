import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  type Environment,
  readAdminConfig,
  readApiConfig,
  readApiConfigWith,
  readConfig,
  readMigrationConfig,
  readPayloadKeys,
  readSandboxConfig,
  readStartConfig,
} from '../../src/config/config.ts';
import { localPortsOf } from '../../src/config/local-ports.ts';
import { parseMoney } from '../../src/domain/money.ts';
import { createAddressMatcher } from '../../src/http/access/source-address.ts';
import { makeSecrets } from '../../src/local/start/backing-services.ts';

const key = () => randomBytes(32).toString('base64');
const { COPY_KEYS, ...secrets } = makeSecrets();

/** The least that the worker starts with. */
const least: Environment = {
  ...secrets,
  DATABASE_URL: 'postgres://service:database-password@localhost/service',
  TEMPORAL_ADDRESS: 'localhost:7233',
  SMS_URL: 'https://sms.example',
  SMS_API_KEY: 'sms-api-key',
  SMTP_URL: 'smtps://service:mail-password@mail.example',
  EMAIL_FROM: 'Vouchers <vouchers@service.example>',
  MOBILE_MONEY_URL: 'https://mobile-money.example/v1.2/mm',
  MOBILE_MONEY_ACCOUNT: 'service',
  AIRTIME_URL: 'https://airtime.example/v1',
  AIRTIME_KEY: 'airtime-key',
  AIRTIME_SECRET: 'airtime-secret',
};

/** The lines of the error that reading ends with. */
function problems(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').slice(1);
  }
  return [];
}

const problemsWith = (changes: Environment): string[] =>
  problems(() => readConfig({ ...least, ...changes }));

/** Production has no default for whom money and messages go to, and for where links lead. */
const named: Environment = {
  ENVIRONMENT: 'production',
  SMS_PROVIDER: 'africas-talking',
  SMS_USERNAME: 'service',
  MOBILE_MONEY_PROVIDER: 'gsma',
  AIRTIME_PROVIDER: 'dt-one',
  AIRTIME_PRODUCTS: 'ETHIO_TELECOM=17,SAFARICOM_ETHIOPIA=18',
  PUBLIC_URL: 'https://vouchers.example',
};

/** Production with these providers. */
const production: Environment = {
  ...named,
  CALLBACK_SECRETS:
    'africas-talking=reports-of-messages,gsma=reports-of-payments,dt-one=reports-of-top-ups',
};

describe('connections in production', () => {
  const remote = 'postgres://service:database-password@db.example/service';

  it.each([
    ['of another machine', { DATABASE_URL: remote }],
    ['of another address', { DATABASE_URL: 'postgres://service@10.0.0.5:5432/service' }],
    ['that may fall back to clear text', { DATABASE_URL: `${remote}?sslmode=prefer` }],
    ['that asks nobody who it is', { DATABASE_URL: `${remote}?sslmode=no-verify` }],
    ['named by a parameter', { DATABASE_URL: 'postgres://localhost/service?host=db.example' }],
  ])('do not start with a database in clear %s', (_name, changes) => {
    const [problem, ...others] = problemsWith({ ...production, ...changes });
    expect(problem).toMatch(/^ {2}DATABASE_URL: is on another machine and not encrypted/);
    expect(others).toEqual([]);
    expect(problemsWith(changes)).toEqual([]);
    expect(problemsWith({ ...production, ...changes, TRUST_UNENCRYPTED_NETWORK: 'yes' })).toEqual(
      [],
    );
  });

  it.each([
    ['on this machine', {}],
    ['over a socket', { DATABASE_URL: 'postgres:///service?host=/var/run/postgresql' }],
    ['encrypted', { DATABASE_URL: `${remote}?sslmode=verify-full` }],
    [
      'with IPv6',
      { DATABASE_URL: 'postgres://service@[::1]:5432/s', TEMPORAL_ADDRESS: '[::1]:7233' },
    ],
    ['with TLS', { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'on' }],
    ['with an API key', { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_API_KEY: 'key' }],
  ])('start %s', (_name, changes) => {
    expect(problemsWith({ ...production, ...changes })).toEqual([]);
  });

  it('do not start with a Temporal in clear on another machine', () => {
    const changes = { ...production, TEMPORAL_ADDRESS: 'localhost.example:7233' };
    const [problem] = problemsWith(changes);
    expect(problem).toMatch(/^ {2}TEMPORAL_ADDRESS: is on another machine and not encrypted/);
    const migration = { ...changes, DATABASE_URL: remote };
    expect(problems(() => readMigrationConfig(migration))).toHaveLength(2);
  });

  it('take certificates as text and as files, and both or none of a pair', () => {
    const folder = mkdtempSync(join(tmpdir(), 'voucher-topup-service-config-'));
    const file = join(folder, 'ca.pem');
    const text = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    writeFileSync(file, text);
    for (const given of [file, text, text.replaceAll('\n', '\\n')])
      expect(
        readConfig({ ...least, TEMPORAL_TLS_CA: given }).temporal.temporalTlsCa?.toString(),
      ).toBe(text);
    rmSync(folder, { recursive: true });
    expect(problemsWith({ TEMPORAL_TLS_CA: file })).toEqual([
      '  TEMPORAL_TLS_CA: must be PEM, or the path of a file with it',
    ]);
    expect(problemsWith({ TEMPORAL_TLS_CERT: text })).toEqual([
      '  TEMPORAL_TLS_CERT: and TEMPORAL_TLS_KEY belong together: set both',
    ]);
  });
});

describe('constants', () => {
  const faster = { RECONCILE_INTERVAL_SECONDS: '1' };
  const doorWith = (constants: object) => ({ TEST_CONSTANTS: JSON.stringify(constants) });

  it('are no settings: the environment does not change them', () => {
    expect(readConfig({ ...least, ...faster }).schedules.reconcileIntervalSeconds).toBe(300);
  });

  it('are changed by a test, in its own process and in one that it starts', () => {
    expect(readConfig(least, faster).schedules.reconcileIntervalSeconds).toBe(1);
    const started = { ...least, ...doorWith({ RECONCILE_INTERVAL_SECONDS: 1 }) };
    expect(readConfig(started).schedules.reconcileIntervalSeconds).toBe(1);
  });

  it('are refused where they are none, and in production', () => {
    const problem = '  TEST_CONSTANTS: names PORT, which is no constant';
    expect(problemsWith(doorWith({ PORT: 1 }))).toEqual([problem]);
    expect(problemsWith({ TEST_CONSTANTS: 'PORT=1' })).toEqual(['  TEST_CONSTANTS: must be JSON']);
    expect(problemsWith({ ...production, ...doorWith(faster) })).toEqual([
      '  TEST_CONSTANTS: is for the test environment only',
    ]);
  });
});

it('balances below which an alarm is raised are those of providers', () => {
  const minimums = (text: string) => ({ PROVIDER_BALANCE_MINIMUMS: text });
  expect(problemsWith(minimums('gsma=50000,africas-talking=1000'))).toEqual([]);
  for (const other of ['dtone=500', 'mpesa=500', 'smpp=500'])
    expect(problemsWith(minimums(`gsma=50000,${other}`))).toEqual([
      '  PROVIDER_BALANCE_MINIMUMS: must name providers that tell a balance: africas-talking, gsma, dt-one, reloadly',
    ]);
});

it('prefixes of mobile numbers are those of operators, and each of one alone', () => {
  const prefixes = (text: string) => ({ MOBILE_PREFIXES: text });
  const given = prefixes('ETHIO_TELECOM=0791 0792,SAFARICOM_ETHIOPIA=0760');
  const expected = { ETHIO_TELECOM: ['0791', '0792'], SAFARICOM_ETHIOPIA: ['0760'] };
  expect(readConfig({ ...least, ...given }).market.mobilePrefixes).toEqual(expected);
  expect(readAdminConfig({ ...given }).market.mobilePrefixes).toEqual(expected);
  expect(readSandboxConfig({ ...given }).MOBILE_PREFIXES).toEqual(expected);
  const form = 'must be prefixes of national mobile numbers, such as 0791, separated by spaces';
  for (const wrong of ['791', '0111', '+251791', '07912345'])
    expect(problemsWith(prefixes(`ETHIO_TELECOM=0790 ${wrong}`))).toEqual([
      `  MOBILE_PREFIXES.1: ${form}`,
    ]);
  expect(problemsWith(prefixes('MTN=0791')).join()).toContain('ETHIO_TELECOM, SAFARICOM_ETHIOPIA');
  for (const both of ['0791', '079'])
    expect(problemsWith(prefixes(`ETHIO_TELECOM=${both},SAFARICOM_ETHIOPIA=0791`))).toEqual([
      '  MOBILE_PREFIXES: gives one prefix to two operators',
    ]);
});

describe('defaults', () => {
  it('are those of a service on one machine', () => {
    expect(readConfig(least)).toMatchObject({
      process: { environment: 'test', logLevel: 'info' },
      http: { host: '127.0.0.1', port: 3000, trustedProxies: [], callerWaitSeconds: 8 },
      access: { accessTokenLifetimeSeconds: 300 },
      vouchers: {
        voucherValidityDays: 365,
        claimLifetimeSeconds: 300,
        messageCooldownSeconds: 30,
      },
      temporal: { temporalNamespace: 'default' },
    });
  });

  it('let npm start begin without any setting', () => {
    expect(readStartConfig({})).toMatchObject({
      DATA_DIR: '.data',
      LOG_LEVEL: 'warn',
    });
    expect(localPortsOf(readStartConfig({}))).toEqual({
      api: 3000,
      sandbox: 3001,
      smtp: 3025,
      smpp: 3275,
      database: 5433,
      temporal: 7233,
      temporalUi: 8233,
      codec: 8234,
      metrics: undefined,
    });
    expect(readSandboxConfig({})).toEqual({
      ENVIRONMENT: 'test',
      HOST: '127.0.0.1',
      MOBILE_PREFIXES: {},
      SANDBOX_DELAY_SCALE: 1,
    });
  });

  it('are all ports of a second stack by one setting, but for a port that has its own', () => {
    expect(localPortsOf(readStartConfig({ PORT_BASE: '4000' }))).toEqual({
      api: 4000,
      sandbox: 4001,
      smtp: 4002,
      smpp: 4003,
      database: 4004,
      temporal: 4005,
      temporalUi: 4006,
      codec: 4007,
      metrics: 4008,
    });
    const own = { PORT: '8080', CODEC_SERVER_PORT: '8081', METRICS_PORT: '8082' };
    expect(localPortsOf(readStartConfig({ PORT_BASE: '4000', ...own }))).toMatchObject({
      api: 8080,
      sandbox: 4001,
      codec: 8081,
      metrics: 8082,
    });
    for (const PORT_BASE of ['0', '65528', 'many'])
      expect(() => readStartConfig({ PORT_BASE })).toThrow(/^ {2}PORT_BASE: /m);
    expect(localPortsOf(readStartConfig({ PORT_BASE: '65527' })).metrics).toBe(65_535);
  });

  it('stand for a setting that is empty', () => {
    const empty = { PORT: '', TRUSTED_PROXIES: '', PUBLIC_URL: '', SMS_SENDER: '', LOG_LEVEL: '' };
    expect(readConfig({ ...least, ...empty })).toEqual(readConfig(least));
    expect(problemsWith({ SMS_API_KEY: '' })).toEqual(['  SMS_API_KEY: is not set']);
  });

  it('give way to what npm start has made', () => {
    expect(readApiConfigWith({ ...least, COPY_KEYS, PORT: '3055' }).http.port).toBe(3055);
  });
});

describe('what is missing', () => {
  it('is named, all of it at once', () => {
    const missing = Object.keys(least).map((name) => `  ${name}: is not set`);
    expect(problems(() => readConfig({})).sort()).toEqual(missing.sort());
  });

  it.each(Object.keys(secrets))('is named: %s has no default', (name) => {
    expect(problemsWith({ [name]: undefined })).toEqual([`  ${name}: is not set`]);
  });

  it('is one key more for the API, unless it keeps no API keys', () => {
    const line = '  COPY_KEYS: is not set';
    expect(problems(() => readApiConfig(least))).toEqual([line]);
    expect(problems(() => readApiConfig({}))).toContain(line);
    expect(readApiConfig({ ...least, COPY_KEYS: 'off' }).secrets.copyKeys).toBe('off');
    expect(readApiConfig({ ...least, COPY_KEYS }).secrets).toMatchObject({
      copyKeys: [{ id: 'copy-1' }],
    });
    expect(Object.keys(readConfig({ ...least, COPY_KEYS }).secrets)).not.toContain('copyKeys');
  });

  it('is less for the migration, which needs no secrets', () => {
    expect(problems(() => readMigrationConfig({}))).toEqual([
      '  DATABASE_URL: is not set',
      '  TEMPORAL_ADDRESS: is not set',
    ]);
  });
});

describe('what is wrong', () => {
  it.each([
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['DATABASE_POOL_SIZE', '-7'],
    ['DATABASE_POOL_SIZE', '1'],
    ['CALLER_WAIT_SECONDS', '-1'],
    ['CALLER_WAIT_SECONDS', '60'],
    ['CLAIM_LIFETIME_SECONDS', '1e999'],
    ['REVERSAL_WINDOW_SECONDS', '-0.1'],
    ['ENVIRONMENT', 'staging'],
    ['LOG_LEVEL', 'loud'],
    ['SMS_PROVIDER', 'pigeon'],
    ['SMS_URL', 'sms.example'],
    ['SMTP_URL', 'mail.example:587'],
    ['SMTP_URL', 'https://mail.example'],
    ['EMAIL_FROM', 'Vouchers'],
    ['EMAIL_FROM', 'Vouchers\r\nBcc: <a@b.example>'],
    ['EXPIRY_REMINDER_HOURS', '9-25'],
    ['EXPIRY_REMINDER_HOURS', 'nine'],
    ['EXPIRY_REMINDER_HOURS', '18-9'],
    ['EXPIRY_REMINDER_HOURS', '9-9'],
    ['AIRTIME_RANGES', 'ETHIO_TELECOM=5-10'],
    ['AIRTIME_RANGES', '{"ETHIO_TELECOM":"10000-5"}'],
    ['SMPP_URL', 'smpp://service:a-long-password@smsc.example'],
    ['CALLBACK_SECRETS', 'a-secret-without-its-provider'],
    ['CALLBACK_SECRETS', 'a-secret-in-place-of=gsma'],
    ['MOBILE_MONEY_HEADERS', 'X-API-Key'],
    ['MOBILE_MONEY_TOKEN_URL', 'localhost:3001'],
    ['PUBLIC_URL', 'api.example'],
    ['PUBLIC_URL', 'localhost:3000'],
    ['PUBLIC_URL', 'ftp://api.example'],
    ['DIGEST_KEY', randomBytes(31).toString('base64')],
    ['DIGEST_KEY', `${randomBytes(30).toString('base64')}!!?AAA=`],
  ])('is named without its value: %s=%s', (name, value) => {
    const [line = '', ...others] = problemsWith({ [name]: value });
    expect(others).toEqual([]);
    expect(line).toMatch(new RegExp(`^  ${name}: .+`));
    expect(line).not.toContain(value);
  });

  it('shows no secret, whatever is wrong with it', () => {
    const short = randomBytes(16).toString('base64');
    const lines = problemsWith({ ...least, DIGEST_KEY: short, DATA_KEYS: `a:${short}`, PORT: 'x' });
    expect(lines).toHaveLength(3);
    for (const value of [short, secrets.PAYLOAD_KEYS, 'database-password', 'sms-api-key'])
      expect(lines.join('\n')).not.toContain(value);
  });
});

describe('key rings', () => {
  it('hold their keys in the order of the setting', () => {
    const [current, old] = [key(), key()];
    const { secrets: read } = readConfig({
      ...least,
      DATA_KEYS: `data-2:${current},data-1:${old}`,
    });
    expect(read.dataKeys).toEqual([
      { id: 'data-2', key: Buffer.from(current, 'base64') },
      { id: 'data-1', key: Buffer.from(old, 'base64') },
    ]);
    expect(readPayloadKeys(`payload-1:${old}`)).toEqual([
      { id: 'payload-1', key: Buffer.from(old, 'base64') },
    ]);
  });

  it.each([
    ['no id', key()],
    ['an empty id', `:${key()}`],
    ['an id with a space', `data 1:${key()}`],
    ['no key', 'data-1:'],
    ['a key that is too short', `data-1:${randomBytes(16).toString('base64')}`],
    ['a comma at the end', `data-1:${key()},`],
    ['two colons', `data-1:${key()}:`],
    ['one id twice', `data-1:${key()},data-1:${key()}`],
  ])('are refused with %s', (_name, ring) => {
    const lines = problemsWith({ DATA_KEYS: ring });
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^ {2}DATA_KEYS[.:]/);
    expect(() => readPayloadKeys(ring)).toThrow();
  });
});

describe('the private key for tokens', () => {
  it('may have its line breaks written as \\n', () => {
    const pem = secrets.ACCESS_TOKEN_PRIVATE_KEY;
    const written = { ...least, ACCESS_TOKEN_PRIVATE_KEY: pem.replaceAll('\n', '\\n') };
    expect(readConfig(written).secrets.accessTokenPrivateKey).toBe(pem);
  });

  const publicPem = createPublicKey(secrets.ACCESS_TOKEN_PRIVATE_KEY)
    .export({ type: 'spki', format: 'pem' })
    .toString();
  const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it.each([
    ['a word', 'secret'],
    ['a public key', publicPem],
    ['half of a key', secrets.ACCESS_TOKEN_PRIVATE_KEY.slice(0, 60)],
    [
      'a key of another curve',
      otherCurve.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
  ])('is refused where it is %s, with how to make one', (_what, text) => {
    const lines = problemsWith({ ACCESS_TOKEN_PRIVATE_KEY: text });
    expect(lines).toEqual([
      '  ACCESS_TOKEN_PRIVATE_KEY: must be an Ed25519 private key in PEM, as "openssl genpkey ' +
        '-algorithm ed25519" makes one',
    ]);
  });

  it('may have further public keys beside it, one after the other', () => {
    const further = (text: string) =>
      readConfig({ ...least, ACCESS_TOKEN_FURTHER_KEYS: text }).access.accessTokenFurtherKeys;
    expect(further('')).toEqual([]);
    const two = (publicPem + publicPem).replaceAll('\n', '\\n');
    expect(further(two)).toEqual([publicPem.trim(), publicPem.trim()]);
  });

  it.each([
    ['a private key', secrets.ACCESS_TOKEN_PRIVATE_KEY],
    ['a word', 'secret'],
    [
      'a key of another curve',
      otherCurve.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
  ])('has no further key that is %s', (_what, text) => {
    const [line, ...rest] = problemsWith({ ACCESS_TOKEN_FURTHER_KEYS: text });
    expect(line).toMatch(/^ {2}ACCESS_TOKEN_FURTHER_KEYS: must be Ed25519 public keys in PEM/);
    expect(rest).toEqual([]);
  });
});

describe('TRUSTED_PROXIES', () => {
  const proxies = (text: string) =>
    readConfig({ ...least, TRUSTED_PROXIES: text }).http.trustedProxies;

  it('is a list of addresses and ranges that are matched as they are written', () => {
    const list = proxies(' 10.0.0.0/8, 203.0.113.7,2001:db8::/32 , ::1,');
    expect(list).toEqual(['10.0.0.0/8', '203.0.113.7', '2001:db8::/32', '::1']);
    const matches = createAddressMatcher(list);
    const members = ['10.9.8.7', '203.0.113.7', '2001:db8::5', '::1', '::ffff:10.0.0.1'];
    expect(members.every(matches)).toBe(true);
    expect(matches('203.0.113.8')).toBe(false);
  });

  it.each([
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.256',
    '2001:db8::/129',
    '127.1',
    '0x7f000001',
    '10.0.0.1 10.0.0.2',
  ])('refuses %s', (entry) => {
    expect(problemsWith({ TRUSTED_PROXIES: `10.0.0.0/8,${entry}` })).toEqual([
      '  TRUSTED_PROXIES.1: must be an address or a CIDR range',
    ]);
  });
});

describe('values by name', () => {
  it('are those of providers, mobile operators and headers', () => {
    const config = readConfig({
      ...least,
      CALLBACK_ADDRESSES: 'gsma=10.0.0.0/8 203.0.113.7, mpesa=2001:db8::/32',
      AIRTIME_RANGES: 'ETHIO_TELECOM=1-50,SAFARICOM_ETHIOPIA=5.50-10000',
      MOBILE_MONEY_HEADERS: 'X-API-Key=a%2Cb',
    });
    expect(config.callbacks.callbackAddresses).toEqual({
      gsma: ['10.0.0.0/8', '203.0.113.7'],
      mpesa: ['2001:db8::/32'],
    });
    expect(config.topups.airtimeRanges.SAFARICOM_ETHIOPIA).toEqual({
      minimum: parseMoney('5.50'),
      maximum: parseMoney('10000'),
    });
    expect(config.providers.mobileMoneyHeaders).toEqual({ 'X-API-Key': 'a,b' });
  });

  it('have no line breaks in headers', () => {
    expect(problemsWith({ MOBILE_MONEY_HEADERS: 'X-API-Key=a%0Ab' })).toEqual([
      '  MOBILE_MONEY_HEADERS: must have values of 1 to 256 visible characters',
    ]);
  });
});

it('the address of the SMSC has its account', () => {
  const SMPP_URL = 'smpps://gifts:p%40ss@[2001:db8::5]?system_type=VMA';
  expect(readConfig({ ...least, SMPP_URL }).providers.smppUrl).toEqual({
    tls: true,
    host: '2001:db8::5',
    port: 3550,
    systemId: 'gifts',
    password: 'p@ss',
    systemType: 'VMA',
  });
});

describe('PUBLIC_URL', () => {
  it('is that of this machine where it is not set', () => {
    expect(readConfig(least).http.publicUrl).toBe('http://localhost:3000');
    expect(readApiConfig({ ...least, COPY_KEYS, PORT: '3055' }).http.publicUrl).toBe(
      'http://localhost:3055',
    );
  });

  it.each([
    ['https://api.example', 'https://api.example'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['https://example/vouchers', 'https://example/vouchers'],
  ])('may be %s, and has no slash at its end', (url, expected) => {
    expect(readConfig({ ...least, PUBLIC_URL: url }).http.publicUrl).toBe(expected);
  });
});

describe('the base address of a provider', () => {
  const everyProvider: Environment = {
    ...least,
    CALLBACK_URL: 'https://service.example/callbacks',
    MPESA_URL: 'https://mpesa.example',
    MPESA_PATHS: 'token=/token,payment=/payment',
    MPESA_CONSUMER_KEY: 'key',
    MPESA_CONSUMER_SECRET: 'secret',
    MPESA_SHORT_CODE: '600992',
    MPESA_INITIATOR: 'service',
    MPESA_SECURITY_CREDENTIAL: 'credential',
    RELOADLY_URL: 'https://topups.reloadly.example',
    RELOADLY_CLIENT_ID: 'client',
    RELOADLY_CLIENT_SECRET: 'secret',
    RELOADLY_OPERATORS: 'ETHIO_TELECOM=17,SAFARICOM_ETHIOPIA=18',
  };
  const names = 'SMS_URL MOBILE_MONEY_URL MPESA_URL AIRTIME_URL RELOADLY_URL CALLBACK_URL';

  it.each(names.split(' '))('%s has no slash at its end', (name) => {
    const withSlash = { ...everyProvider, [name]: `${everyProvider[name]}/` };
    expect(readConfig(withSlash)).toEqual(readConfig(everyProvider));
    expect(JSON.stringify(readConfig(everyProvider))).toContain(everyProvider[name]);
  });
});

describe('production', () => {
  const { ENVIRONMENT, ...providers } = named;

  it('starts where every provider is named', () => {
    expect(problemsWith(production)).toEqual([]);
  });

  it('takes no callbacks from anybody', () => {
    const all = production.CALLBACK_SECRETS ?? '';
    for (const pair of all.split(',')) {
      const [provider] = pair.split('=');
      const others = all.split(',').filter((other) => other !== pair);
      expect(problemsWith({ ...production, CALLBACK_SECRETS: others.join() })).toEqual([
        `  CALLBACK_SECRETS: has none for ${provider}: callbacks without it come from anybody`,
      ]);
    }
    expect(problemsWith({ ...production, CALLBACK_SECRETS: '', ENVIRONMENT: 'test' })).toEqual([]);
  });

  it('does not start with what defaults to the sandbox', () => {
    const expected = Object.keys(providers).map((name) => `  ${name}: must be set in production`);
    const unnamed = Object.fromEntries(Object.keys(providers).map((name) => [name, undefined]));
    const given = { ...production, ...unnamed };
    expect(problemsWith(given)).toEqual(expected);
    expect(problems(() => readApiConfig({ ...least, COPY_KEYS, ...given }))).toEqual(expected);
    for (const name of Object.keys(providers))
      expect(problemsWith({ ...production, [name]: '' })).toEqual([
        `  ${name}: must be set in production`,
      ]);
  });

  it('asks nobody for the names of providers that are not used', () => {
    const { SMS_URL, SMS_API_KEY, AIRTIME_URL, AIRTIME_KEY, AIRTIME_SECRET, ...others } = least;
    const { SMS_USERNAME, AIRTIME_PRODUCTS, ...choices } = named;
    const further = {
      SMS_PROVIDER: 'smpp',
      SMPP_URL: 'smpps://service:password@smsc.example:3550',
      AIRTIME_PROVIDER: 'reloadly',
      RELOADLY_URL: 'https://topups.reloadly.example',
      RELOADLY_CLIENT_ID: 'client',
      RELOADLY_CLIENT_SECRET: 'secret',
      RELOADLY_OPERATORS: 'ETHIO_TELECOM=17,SAFARICOM_ETHIOPIA=18',
    };
    const callbacks = { CALLBACK_SECRETS: 'gsma=reports-of-payments' };
    const given = { ...others, ...choices, ...further, ...callbacks };
    expect(problems(() => readConfig(given))).toEqual([]);
  });

  it('does not start with the addresses that docker-compose.yml has for the sandbox', () => {
    expect(problemsWith({ ...production, AIRTIME_URL: 'http://sandbox:3001/dt-one/v1' })).toEqual([
      '  AIRTIME_URL: is the address of the sandbox, which is not for production',
    ]);
    const MOBILE_MONEY_TOKEN_URL = 'http://sandbox:3001/gsma/oauth/accesstoken';
    expect(problemsWith({ ...production, MOBILE_MONEY_TOKEN_URL })).toEqual([
      '  MOBILE_MONEY_TOKEN_URL: is the address of the sandbox, which is not for production',
    ]);
  });

  it('does not lead integrators to a sandbox', () => {
    expect(problemsWith({ ...production, SANDBOX_URL: 'https://sandbox.example.test' })).toEqual([
      '  SANDBOX_URL: must not be set in production; the sandbox is for tests only',
    ]);
    expect(problemsWith({ ...production, SANDBOX_URL: '' })).toEqual([]);
  });

  it('has an encrypted public address', () => {
    expect(problemsWith({ ...production, PUBLIC_URL: 'http://vouchers.example' })).toEqual([
      '  PUBLIC_URL: must be an https address in production',
    ]);
    expect(problemsWith({ ...production, PUBLIC_URL: 'http://127.0.0.1:3000' })).toEqual([]);
  });

  it('delivers no webhooks to private networks', () => {
    expect(problemsWith({ ...production, WEBHOOK_PRIVATE_NETWORKS: 'on' })).toEqual([
      '  WEBHOOK_PRIVATE_NETWORKS: must be "off" in production',
    ]);
  });

  it('is not started by npm start with the sandbox', () => {
    const rule = 'must be set in production; the sandbox is for the test environment only';
    expect(problems(() => readStartConfig({ ENVIRONMENT }))).toEqual(
      ['SMS_URL', 'SMTP_URL', 'MOBILE_MONEY_URL', 'AIRTIME_URL'].map(
        (name) => `  ${name}: ${rule}`,
      ),
    );
    const { SMS_URL, SMTP_URL, MOBILE_MONEY_URL, AIRTIME_URL } = least;
    const addresses = { SMS_URL, SMTP_URL, MOBILE_MONEY_URL, AIRTIME_URL };
    expect(problems(() => readStartConfig({ ENVIRONMENT, ...addresses }))).toEqual([]);
  });

  it('is refused by the sandbox', () => {
    expect(problems(() => readSandboxConfig({ ENVIRONMENT }))).toEqual([
      '  ENVIRONMENT: the sandbox is for the test environment only',
    ]);
    expect(problems(() => readSandboxConfig({ ENVIRONMENT: 'test' }))).toEqual([]);
  });
});
