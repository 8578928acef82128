import { join } from 'node:path';
import pg from 'pg';
import { readPayloadKeys, type StartConfig } from '../config/config.ts';
import { LOCAL_DATABASE_NAME, serviceDatabaseUrl } from '../config/local-stack.ts';
import { requireFreePort } from '../embedded/port.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { findTemporalBinary } from '../embedded/temporal-binary.ts';
import { startTemporalServer } from '../embedded/temporal-server.ts';
import type { Progress } from '../process/progress.ts';
import { startSandbox } from '../sandbox/start-sandbox.ts';
import { startCodecServer } from '../temporal/codec/codec-server.ts';
import { reloadlyWebhookSecret, sandboxSettings } from './sandbox-settings.ts';
import type { Secrets } from './secrets.ts';
import type { Stops } from './stops.ts';
import { together } from './together.ts';

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
  const [databasePart, temporalPart, sandboxPart] = await together([
    database(config, postgresSettings, progress, stops),
    temporal(config, secrets, progress, stops),
    sandbox(config, progress, stops),
  ]);
  return {
    settings: { ...databasePart.settings, ...temporalPart.settings, ...sandboxPart.settings },
    temporalUiUrl: temporalPart.url,
    sandboxUrl: sandboxPart.url,
  };
}

interface Part {
  readonly settings: Readonly<Record<string, string>>;
  /** The address for people. */
  readonly url: string;
}

async function database(
  config: StartConfig,
  postgresSettings: Readonly<Record<string, string>>,
  progress: Progress,
  stops: Stops,
): Promise<Part> {
  if (config.DATABASE_URL) return { settings: { DATABASE_URL: config.DATABASE_URL }, url: '' };
  const postgres = await startPostgres({
    dataDirectory: join(config.DATA_DIR, 'postgres'),
    port: config.LOCAL_PORTS.database,
    settings: postgresSettings,
    progress,
  });
  stops.add(postgres.stop);
  await createDatabase(postgres.url);
  return { settings: { DATABASE_URL: serviceDatabaseUrl(postgres.url) }, url: '' };
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      LOCAL_DATABASE_NAME,
    ]);
    if (rowCount === 0) await client.query(`create database ${LOCAL_DATABASE_NAME}`);
  } finally {
    await client.end();
  }
}

async function temporal(
  config: StartConfig,
  secrets: Secrets,
  progress: Progress,
  stops: Stops,
): Promise<Part> {
  const uiUrl = `http://localhost:${config.LOCAL_PORTS['temporal-ui']}`;
  if (config.TEMPORAL_ADDRESS)
    return { settings: { TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS }, url: uiUrl };
  const binary = await findTemporalBinary({
    cliPath: config.TEMPORAL_CLI_PATH,
    cacheHome: config.XDG_CACHE_HOME,
    progress,
  });
  await requireFreePort(config.CODEC_SERVER_PORT, 'CODEC_SERVER_PORT');
  const codecServer = await startCodecServer({
    port: config.CODEC_SERVER_PORT,
    uiOrigins: [uiUrl, `http://127.0.0.1:${config.LOCAL_PORTS['temporal-ui']}`],
    payloadKeys: readPayloadKeys(secrets.PAYLOAD_KEYS),
  });
  stops.add(codecServer.stop);
  const server = await startTemporalServer({
    binary,
    directory: config.DATA_DIR,
    port: config.LOCAL_PORTS.temporal,
    uiPort: config.LOCAL_PORTS['temporal-ui'],
    namespaces: config.TEMPORAL_NAMESPACE === 'default' ? [] : [config.TEMPORAL_NAMESPACE],
    codecEndpoint: codecServer.url,
    progress,
  });
  stops.add(server.stop);
  return { settings: { TEMPORAL_ADDRESS: server.address }, url: uiUrl };
}

async function sandbox(config: StartConfig, progress: Progress, stops: Stops): Promise<Part> {
  const addresses = [
    config.SMS_URL,
    config.SMTP_URL,
    config.MOBILE_MONEY_URL,
    config.AIRTIME_URL,
    config.RELOADLY_URL,
  ];
  if (addresses.every(Boolean)) return { settings: {}, url: '' };
  const { LOCAL_PORTS: ports } = config;
  for (const name of ['sandbox', 'smtp', 'smpp'] as const)
    await requireFreePort(ports[name], `${name} in LOCAL_PORTS`);
  const started = await progress.step('Sandbox of the providers', () =>
    startSandbox({
      port: ports.sandbox,
      smtpPort: ports.smtp,
      smppPort: ports.smpp,
      smsReportUrl: config.SANDBOX_SMS_REPORT_URL,
      delayScale: config.SANDBOX_DELAY_SCALE,
      reloadlyWebhook: {
        url: `http://127.0.0.1:${config.PORT}/callbacks/reloadly`,
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
