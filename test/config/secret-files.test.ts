import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ConfigError,
  type Environment,
  readAdminConfig,
  readApiConfig,
  readApiConfigWith,
  readCodecServerConfig,
  readDemoConfig,
  readMigrationConfig,
  readStartConfig,
} from '../../src/config/config.ts';
import { makeSecrets } from '../../src/local/start/backing-services.ts';

const secrets = makeSecrets();

/** What the API is given as files. */
const inFiles: Record<string, string> = {
  ...secrets,
  DATABASE_URL: 'postgres://service:database-password@localhost/service',
  SMS_API_KEY: 'sms-api-key',
  SMTP_URL: 'smtps://service:mail-password@mail.example',
  AIRTIME_KEY: 'airtime-key',
  AIRTIME_SECRET: 'airtime-secret',
  MOBILE_MONEY_KEY: 'money-key',
  MOBILE_MONEY_SECRET: 'money-secret',
  CALLBACK_SECRETS: 'gsma=money-callback-secret',
};

const others: Environment = {
  TEMPORAL_ADDRESS: 'localhost:7233',
  SMS_URL: 'https://sms.example',
  EMAIL_FROM: 'vouchers@service.example',
  MOBILE_MONEY_URL: 'https://mobile-money.example/v1.2/mm',
  MOBILE_MONEY_ACCOUNT: 'service',
  AIRTIME_URL: 'https://airtime.example/v1',
};

let folder: string;
let files: Environment;

function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
  const entries = Object.entries(inFiles).map(([name, value]) => [
    `${name}_FILE`,
    fileWith(name, `${value}\n`),
  ]);
  files = Object.fromEntries(entries);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The text of the error that reading ends with. */
function errorOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

const errorWith = (changes: Environment): string =>
  errorOf(() => readApiConfig({ ...others, ...files, ...changes }));

describe('a secret in a file', () => {
  it('is the secret that the setting itself would be, without the newline at its end', () => {
    expect(readApiConfig({ ...others, ...files })).toEqual(
      readApiConfig({ ...others, ...inFiles }),
    );
  });

  it.each([
    ['sms', 'sms'],
    ['sms\n', 'sms'],
    ['sms\r\n', 'sms'],
    ['sms\n\n', 'sms\n'],
    [' sms ', ' sms '],
  ])('loses one newline and nothing else: %j', (content, expected) => {
    const SMS_API_KEY_FILE = fileWith('changed', content);
    expect(readApiConfig({ ...others, ...files, SMS_API_KEY_FILE }).providers.smsApiKey).toBe(
      expected,
    );
  });

  it('is read by each process that has the setting', () => {
    const { PAYLOAD_KEYS_FILE, DATABASE_URL_FILE, DATA_KEYS_FILE } = files;
    const { DATABASE_URL } = inFiles;
    const { TEMPORAL_ADDRESS } = others;
    const database = { DATABASE_URL_FILE };
    expect(readAdminConfig({ ...database, DATA_KEYS_FILE })).toMatchObject({
      database: { databaseUrl: DATABASE_URL },
      secrets: { dataKeys: [{ id: 'data-1' }] },
    });
    expect(readStartConfig(database).DATABASE_URL).toBe(DATABASE_URL);
    const migration = readMigrationConfig({ ...database, TEMPORAL_ADDRESS });
    expect(migration.database.databaseUrl).toBe(DATABASE_URL);
    const TEMPORAL_API_KEY_FILE = fileWith('temporal', 'temporal-key\n');
    expect(readDemoConfig({ TEMPORAL_API_KEY_FILE }).temporal.temporalApiKey).toBe('temporal-key');
    const CODEC_SERVER_OPERATORS_FILE = fileWith('operators', `a:${'0'.repeat(64)}\n`);
    const codec = readCodecServerConfig({ PAYLOAD_KEYS_FILE, CODEC_SERVER_OPERATORS_FILE });
    expect(codec).toMatchObject({
      secrets: { payloadKeys: [{ id: 'payload-1' }] },
      codec: { codecServerOperators: [{ name: 'a' }] },
    });
  });

  it('gives way to what npm start has made', () => {
    const made = { ...others, ...inFiles };
    const path = join(folder, 'missing');
    const program = `
      import { readApiConfigWith } from './src/config/config.ts';
      const config = readApiConfigWith(JSON.parse(process.env.MADE));
      process.stdout.write(config.providers.smsApiKey + ' ' + config.providers.smppUrl.password);`;
    const env = {
      PATH: process.env.PATH,
      MADE: JSON.stringify(made),
      SMS_API_KEY_FILE: path,
      SMPP_URL_FILE: fileWith('smpp', 'smpp://service:window@smsc.example\n'),
    };
    const options = { env, encoding: 'utf8' as const };
    const words = ['--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, words, options)).toBe('sms-api-key window');
    expect(readApiConfigWith(made).providers.smsApiKey).toBe('sms-api-key');
  });

  it('may stand beside an empty setting, as a compose file writes one that is not set', () => {
    expect(errorWith({ SMS_API_KEY: '' })).toBe('');
    expect(errorWith({ SMS_API_KEY: 'sms-api-key', SMS_API_KEY_FILE: '' })).toBe('');
  });
});

describe('a file that is no secret', () => {
  const header = 'Settings are missing or wrong:\n';

  it('is refused beside the setting itself, by both names', () => {
    expect(errorWith({ SMS_API_KEY: 'another-key' })).toBe(
      `${header}  SMS_API_KEY and SMS_API_KEY_FILE: are both set; set one of them`,
    );
  });

  it.each(['', '\n', '\r\n'])('is empty: %j', (content) => {
    expect(errorWith({ DIGEST_KEY_FILE: fileWith('empty', content) })).toBe(
      `${header}  DIGEST_KEY_FILE: names an empty file`,
    );
  });

  it('is missing or a folder, and its path is not shown: it may be the secret', () => {
    expect(errorWith({ SMS_API_KEY_FILE: 'a-secret-by-mistake', DATA_KEYS_FILE: folder })).toBe(
      `${header}  DATA_KEYS_FILE: names a file that cannot be read (EISDIR)\n` +
        '  SMS_API_KEY_FILE: names a file that cannot be read (ENOENT)',
    );
  });

  it('is wrong by the rule of its setting, and not shown', () => {
    const message = errorWith({ DIGEST_KEY_FILE: fileWith('wrong', 'c2hvcnQ=\n') });
    expect(message).toBe(`${header}  DIGEST_KEY_FILE: must be 32 bytes in base64`);
  });

  it('is looked at by the rules of production, too', () => {
    const SMTP_URL_FILE = fileWith('sandbox', 'smtp://sandbox:3025\n');
    const message = errorWith({ ENVIRONMENT: 'production', SMTP_URL_FILE });
    expect(message).toContain('SMTP_URL: is the address of the sandbox');
    const DATABASE_URL_FILE = fileWith('remote', 'postgres://a:hidden@db.example/service');
    const remote = errorWith({ ENVIRONMENT: 'production', DATABASE_URL_FILE });
    expect(remote).toContain('DATABASE_URL_FILE: is on another machine and not encrypted');
    expect(remote).not.toContain('hidden');
  });

  it('is not looked for where the setting is no secret', () => {
    expect(
      readApiConfig({ ...others, ...files, LOG_LEVEL_FILE: '/missing' }).process.logLevel,
    ).toBe('info');
  });
});
