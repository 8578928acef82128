import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
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
import { COPY_KEYS, least, problems, problemsWith, production, secrets } from './least-settings.ts';

const key = () => randomBytes(32).toString('base64');

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
      '  PROVIDER_BALANCE_MINIMUMS: must be name=value, separated by commas, for any of africas-talking, gsma, dt-one, reloadly',
    ]);
  expect(problemsWith(minimums('gsma=many'))).toEqual([
    '  PROVIDER_BALANCE_MINIMUMS: must be an amount such as 50000',
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
    ['DATABASE_POOL_SIZE', '1'],
    ['CALLER_WAIT_SECONDS', '60'],
    ['CLAIM_LIFETIME_SECONDS', '1e999'],
    ['REVERSAL_WINDOW_SECONDS', '-0.1'],
    ['VOUCHER_VALIDITY_DAYS', '1e9'],
    ['MESSAGE_RETENTION_DAYS', '9999999'],
    ['NUMBER_RETENTION_DAYS', '9999999'],
    ['ENVIRONMENT', 'staging'],
    ['SMS_URL', 'sms.example'],
    ['SMTP_URL', 'https://mail.example'],
    ['EMAIL_FROM', 'Vouchers'],
    ['EMAIL_FROM', 'Vouchers\r\nBcc: <a@b.example>'],
    ['EXPIRY_REMINDER_HOURS', '9-25'],
    ['EXPIRY_REMINDER_HOURS', '18-9'],
    ['EXPIRY_REMINDER_HOURS', '9-9'],
    ['AIRTIME_RANGES', 'ETHIO_TELECOM=5-10'],
    ['AIRTIME_RANGES', '{"ETHIO_TELECOM":"10000-5"}'],
    ['SMPP_URL', 'smpp://service:a-long-password@smsc.example'],
    ['CALLBACK_SECRETS', 'a-secret-without-its-provider'],
    ['CALLBACK_SECRETS', 'a-secret-in-place-of=gsma'],
    ['MOBILE_MONEY_HEADERS', 'X-API-Key'],
    ['MOBILE_MONEY_TOKEN_URL', 'localhost:3001'],
    ['DATABASE_URL', 'localhost'],
    ['DATABASE_URL', 'db.example:5432/gifts'],
    ['DATABASE_URL', 'mysql://api@db.example/gifts'],
    ['DATABASE_URL', 'host=db.example dbname=voucher_topup'],
    ['DATABASE_URL', 'postgres://api:pass#word@db.example/voucher_topup'],
    ['DATABASE_READ_URL', 'postgres://reports:pass/word@db.example/voucher_topup'],
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
    ['no key', 'data-1:'],
    ['a key that is too short', `data-1:${randomBytes(16).toString('base64')}`],
    ['a comma at the end', `data-1:${key()},`],
    ['one id twice', `data-1:${key()},data-1:${key()}`],
  ])('are refused with %s', (_name, ring) => {
    const lines = problemsWith({ DATA_KEYS: ring });
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines)
      expect(line).toMatch(/^ {2}DATA_KEYS[.:\d]+ (must be (id:key|an id|32 bytes)|repeats)/);
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

  it('is a list of addresses and ranges', () => {
    const list = proxies(' 10.0.0.0/8, 203.0.113.7,2001:db8::/32 , ::1,');
    expect(list).toEqual(['10.0.0.0/8', '203.0.113.7', '2001:db8::/32', '::1']);
  });

  it.each(['proxy.example', '10.0.0.0/33', '127.1', '10.0.0.1 10.0.0.2'])('refuses %s', (entry) => {
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
    CALLBACK_SECRETS: 'mpesa=a-path-that-nobody-guesses',
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
    expect(inspect(readConfig(everyProvider), { depth: 9 })).toContain(everyProvider[name]);
  });
});
