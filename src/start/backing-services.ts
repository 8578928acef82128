import { join } from 'node:path';
import pg from 'pg';
import { readPayloadKeys, type StartConfig } from '../config/config.ts';
import { localPortsOf } from '../config/local-ports.ts';
import { LOCAL_DATABASE_NAME, serviceDatabaseUrl } from '../config/local-stack.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { findTemporalBinary } from '../embedded/temporal-binary.ts';
import { startTemporalServer } from '../embedded/temporal-server.ts';
import type { Progress } from '../process/progress.ts';
import { BOOKS_FILE } from '../sandbox/books.ts';
import { startSandbox } from '../sandbox/start-sandbox.ts';
import { startCodecServer } from '../temporal/codec/codec-server.ts';
import { needsSandbox } from './claim-place.ts';
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
    port: localPortsOf(config).database,
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
  const ports = localPortsOf(config);
  const uiUrl = `http://localhost:${ports.temporalUi}`;
  if (config.TEMPORAL_ADDRESS)
    return { settings: { TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS }, url: uiUrl };
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

async function sandbox(config: StartConfig, progress: Progress, stops: Stops): Promise<Part> {
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
