import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  readApiConfig,
  readConfig,
  readMigrationConfig,
  readSandboxConfig,
  readStartConfig,
} from '../../src/config/config.ts';
import { COPY_KEYS, least, named, problems, problemsWith, production } from './least-settings.ts';

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
    ['over one by a user', { DATABASE_URL: 'postgres://api@/service?host=/var/run/postgresql' }],
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

describe('production', () => {
  const { ENVIRONMENT, ...providers } = named;

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
