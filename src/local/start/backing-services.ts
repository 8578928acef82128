import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { readPayloadKeys, type StartConfig } from '../../config/config.ts';
import { localPortsOf } from '../../config/local-ports.ts';
import { LOCAL_DATABASE_NAME, readIfThere, serviceDatabaseUrl } from '../../config/local-stack.ts';
import { groupRole } from '../../db/rights/roles.ts';
import type { ProcessRole } from '../../db/rights/table-rights.ts';
import type { Progress } from '../../runtime/process/progress.ts';
import { startCodecServer } from '../../runtime/temporal/codec-server.ts';
import { BOOKS_FILE } from '../../sandbox/books.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { startPostgres, withSession } from '../postgres.ts';
import { findTemporalBinary } from '../temporal-binary.ts';
import { startTemporalServer } from '../temporal-server.ts';
import { needsSandbox } from './claim-place.ts';
import { type Stops, together } from './stops.ts';

/** Signs the callbacks of Reloadly in the sandbox. */
const reloadlyWebhookSecret = 'sandbox-webhook-secret';
const SENDER = 'Voucher service <vouchers@sandbox.test>';

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * The settings of the sandbox's providers, which report to the service on this machine. Providers with an address of
 * their own are not those of the sandbox.
 */
export const sandboxSettings = (
  given: StartConfig,
  sandbox: Sandbox,
): Readonly<Record<string, string>> => ({
  SANDBOX_URL: sandbox.url,
  CALLBACK_URL: given.CALLBACK_URL ?? `http://127.0.0.1:${localPortsOf(given).api}/callbacks`,
  CALLBACK_SECRETS:
    given.CALLBACK_SECRETS ?? 'gsma=payments-of-the-sandbox,mpesa=results-of-the-sandbox',
  ...(!given.PROVIDER_CONTACTS && {
    PROVIDER_CONTACTS: 'gsma=+251 911 000 001,mpesa=+251 911 000 002,dt-one=help@dt-one.example',
  }),
  ...(!given.SMS_URL && { SMS_URL: sandbox.smsUrl, SMS_API_KEY: 'sandbox' }),
  ...(!given.SMPP_URL && { SMPP_URL: sandbox.smppUrl }),
  ...(!given.SMTP_URL && { SMTP_URL: sandbox.smtpUrl, EMAIL_FROM: SENDER }),
  ...(!given.MOBILE_MONEY_URL && {
    MOBILE_MONEY_URL: sandbox.mobileMoneyUrl,
    MOBILE_MONEY_TOKEN_URL: sandbox.mobileMoneyTokenUrl,
    MOBILE_MONEY_KEY: 'sandbox',
    MOBILE_MONEY_SECRET: 'sandbox',
    MOBILE_MONEY_ACCOUNT: 'sandbox',
  }),
  ...(!given.MPESA_URL && {
    MPESA_URL: sandbox.mpesaUrl,
    MPESA_CONSUMER_KEY: 'sandbox',
    MPESA_CONSUMER_SECRET: 'sandbox',
    MPESA_SHORT_CODE: '600992',
    MPESA_INITIATOR: 'sandbox',
    MPESA_SECURITY_CREDENTIAL: 'sandbox',
  }),
  ...(!given.AIRTIME_URL && {
    AIRTIME_URL: sandbox.airtimeUrl,
    AIRTIME_KEY: 'sandbox',
    AIRTIME_SECRET: 'sandbox',
  }),
  ...(!given.RELOADLY_URL && {
    RELOADLY_URL: sandbox.reloadlyUrl,
    RELOADLY_TOKEN_URL: sandbox.reloadlyTokenUrl,
    RELOADLY_CLIENT_ID: 'sandbox',
    RELOADLY_CLIENT_SECRET: 'sandbox',
    RELOADLY_OPERATORS: 'ETHIO_TELECOM=3001,SAFARICOM_ETHIOPIA=3002',
    RELOADLY_CALLBACK_SECRET: reloadlyWebhookSecret,
  }),
});

/** The secret settings of a stack on one machine (src/config/config.ts). */
export interface Secrets {
  readonly ACCESS_TOKEN_PRIVATE_KEY: string;
  readonly DIGEST_KEY: string;
  readonly DATA_KEYS: string;
  readonly PAYLOAD_KEYS: string;
  readonly COPY_KEYS: string;
}

/**
 * The secrets in `secrets.json` of the data folder. They are created on the first start and kept,
 * because the codes in the database cannot be decrypted without them.
 */
export async function readOrMakeSecrets(dataDirectory: string): Promise<Secrets> {
  const file = join(dataDirectory, 'secrets.json');
  const known = await readIfThere(file);
  if (known !== undefined) return JSON.parse(known);
  const secrets = makeSecrets();
  // Written atomically, even if the process ends.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
  return secrets;
}

/** Fresh secrets. */
export function makeSecrets(): Secrets {
  const { privateKey } = generateKeyPairSync('ed25519');
  const symmetricKey = () => randomBytes(32).toString('base64');
  return {
    ACCESS_TOKEN_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    DIGEST_KEY: symmetricKey(),
    DATA_KEYS: `data-1:${symmetricKey()}`,
    PAYLOAD_KEYS: `payload-1:${symmetricKey()}`,
    COPY_KEYS: `copy-1:${symmetricKey()}`,
  };
}

/** The services that the product depends on, as settings, and their addresses for people. */
export interface BackingServices {
  readonly settings: Readonly<Record<string, string>>;
  readonly sandboxUrl: string;
  readonly temporalUiUrl: string;
}

/**
 * Starts PostgreSQL, Temporal and the sandbox, except those that a setting names.
 *
 * @param postgresSettings further ones of the PostgreSQL that it starts
 */
export async function startBackingServices(
  config: StartConfig,
  secrets: Secrets,
  progress: Progress,
  stops: Stops,
  postgresSettings: Readonly<Record<string, string>> = {},
): Promise<BackingServices> {
  const [databaseSettings, temporalPart, sandboxPart] = await together([
    database(config, postgresSettings, progress, stops),
    temporal(config, secrets, progress, stops),
    sandbox(config, progress, stops),
  ]);
  return {
    settings: { ...databaseSettings, ...temporalPart.settings, ...sandboxPart.settings },
    temporalUiUrl: temporalPart.url,
    sandboxUrl: sandboxPart.url,
  };
}

async function database(
  config: StartConfig,
  postgresSettings: Readonly<Record<string, string>>,
  progress: Progress,
  stops: Stops,
) {
  if (config.DATABASE_URL) return { DATABASE_URL: config.DATABASE_URL };
  const postgres = await startPostgres({
    dataDirectory: join(config.DATA_DIR, 'postgres'),
    port: localPortsOf(config).database,
    settings: postgresSettings,
    progress,
  });
  stops.add(postgres.stop);
  await createDatabase(postgres.url);
  return { DATABASE_URL: serviceDatabaseUrl(postgres.url) };
}

async function createDatabase(adminUrl: string): Promise<void> {
  await withSession(adminUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      LOCAL_DATABASE_NAME,
    ]);
    if (rowCount === 0) await client.query(`create database ${LOCAL_DATABASE_NAME}`);
  });
}

/** Its setting, and the address for people. */
async function temporal(config: StartConfig, secrets: Secrets, progress: Progress, stops: Stops) {
  if (config.TEMPORAL_ADDRESS)
    return {
      settings: { TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS },
      url: config.TEMPORAL_UI_URL ?? '',
    };
  const ports = localPortsOf(config);
  const uiUrl = `http://localhost:${ports.temporalUi}`;
  const binary = await findTemporalBinary({
    cliPath: config.TEMPORAL_CLI_PATH,
    cacheHome: config.XDG_CACHE_HOME,
    progress,
  });
  const codecServer = await startCodecServer({
    port: ports.codec,
    uiOrigins: [uiUrl, `http://127.0.0.1:${ports.temporalUi}`],
    payloadKeys: readPayloadKeys(secrets.PAYLOAD_KEYS),
  });
  stops.add(codecServer.stop);
  const server = await startTemporalServer({
    binary,
    directory: config.DATA_DIR,
    port: ports.temporal,
    uiPort: ports.temporalUi,
    namespaces: config.TEMPORAL_NAMESPACE === 'default' ? [] : [config.TEMPORAL_NAMESPACE],
    codecEndpoint: codecServer.url,
    progress,
  });
  stops.add(server.stop);
  return { settings: { TEMPORAL_ADDRESS: server.address }, url: uiUrl };
}

/** Its settings, and the address for people. */
async function sandbox(config: StartConfig, progress: Progress, stops: Stops) {
  if (!needsSandbox(config)) return { settings: {}, url: '' };
  const ports = localPortsOf(config);
  const started = await progress.step('Sandbox of the providers', () =>
    startSandbox({
      port: ports.sandbox,
      smtpPort: ports.smtp,
      smppPort: ports.smpp,
      booksFile: join(config.DATA_DIR, BOOKS_FILE),
      smsReportUrl: config.SANDBOX_SMS_REPORT_URL,
      delayScale: config.SANDBOX_DELAY_SCALE,
      reloadlyWebhook: {
        url: `http://127.0.0.1:${ports.api}/callbacks/reloadly`,
        secret: reloadlyWebhookSecret,
      },
    }),
  );
  stops.add(started.close);
  return {
    url: started.url,
    settings: sandboxSettings(config, started),
  };
}

/**
 * Gives the API and the worker logins of their own on a migrated database, with passwords for this start
 * alone. The address must be that of a login that may make others.
 */
export const makeProcessLogins = (databaseUrl: string) =>
  withSession(databaseUrl, async (client) => ({
    DATABASE_URL: await makeLogin(client, databaseUrl, 'api'),
    WORKER_DATABASE_URL: await makeLogin(client, databaseUrl, 'worker'),
  }));

async function makeLogin(
  client: pg.Client,
  databaseUrl: string,
  role: ProcessRole,
): Promise<string> {
  const url = new URL(databaseUrl);
  const group = groupRole(url.pathname.slice(1), role);
  url.username = `start_${role}`;
  url.password = randomBytes(24).toString('hex');
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [
    url.username,
  ]);
  if (rowCount === 0) await client.query(`create role ${url.username} login`);
  await client.query(`alter role ${url.username} password '${url.password}'`);
  await client.query(`grant ${pg.escapeIdentifier(group)} to ${url.username}`);
  return url.href;
}
