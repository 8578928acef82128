import { fileURLToPath } from 'node:url';
import { keyCopiesOf } from './api.ts';
import {
  type ApiConfig,
  readApiConfigWith,
  readStartConfig,
  type StartConfig,
} from './config/config.ts';
import { writeProviderSettings } from './config/local-stack.ts';
import { createDigests } from './crypto/digests.ts';
import { connectDatabase } from './db/connection.ts';
import { migrateToLatest } from './db/migrate.ts';
import { claimDataDirectory } from './embedded/data-directory.ts';
import { requireFreePort } from './embedded/port.ts';
import { startObservation } from './process/observation.ts';
import { createProgress, type Progress } from './process/progress.ts';
import { runProcess } from './process/termination.ts';
import { startService } from './service.ts';
import { type BackingServices, startBackingServices } from './start/backing-services.ts';
import { makeDemoAccounts } from './start/demo-accounts.ts';
import { isDemoKey, makeDemoData } from './start/demo-data.ts';
import { readDemoFile, type StackAddresses, writeDemoFile } from './start/demo-file.ts';
import { makeProcessLogins } from './start/process-logins.ts';
import { readOrMakeSecrets, type Secrets } from './start/secrets.ts';
import { createStops, type Stops } from './start/stops.ts';
import { welcome } from './start/welcome.ts';
import { prepareTemporal } from './temporal/prepare.ts';
import { temporalServerOf } from './temporal/temporal-server.ts';

/** Starts everything; the inner promise settles if the worker stops by itself. */
async function start(
  startConfig: StartConfig,
  progress: Progress,
  stops: Stops,
): Promise<{ readonly ended: Promise<void> }> {
  stops.add(await claimDataDirectory(startConfig.DATA_DIR));
  await requireFreePort(startConfig.PORT, 'PORT');
  const secrets = await readOrMakeSecrets(startConfig.DATA_DIR);
  const backing = await startBackingServices(withReports(startConfig), secrets, progress, stops);
  await writeProviderSettings(startConfig.DATA_DIR, backing.settings);
  const config = configFor(startConfig, secrets, backing);

  await progress.step('Migrations', async () => {
    await migrateToLatest(config.DATABASE_URL);
    await prepareTemporal(temporalServerOf(config));
  });
  const observation = await startObservation(config, 'start');
  stops.add(observation.stop);
  const service = await progress.step('Worker and API', async () =>
    startService({ ...config, ...(await processAddresses(startConfig, config)) }, observation),
  );
  stops.add(service.stop);
  const addresses = {
    api: `http://localhost:${service.api.port}`,
    sandboxUrl: backing.sandboxUrl,
    temporalUiUrl: backing.temporalUiUrl,
    temporalAddress: config.TEMPORAL_ADDRESS,
  };
  const demo = await progress.step('Demo data', () => writeDemo(startConfig, config, addresses));
  process.stdout.write(welcome(demo, startConfig.DATA_DIR));
  return { ended: service.ended };
}

/** On our own PostgreSQL each part of the service has its own rights; a server that a setting names stays as it is. */
const processAddresses = async (startConfig: StartConfig, { DATABASE_URL }: ApiConfig) =>
  startConfig.DATABASE_URL === undefined ? makeProcessLogins(DATABASE_URL) : {};

/** The sandbox reports deliveries to the API of this start. */
const withReports = (startConfig: StartConfig): StartConfig => ({
  ...startConfig,
  SANDBOX_SMS_REPORT_URL:
    startConfig.SANDBOX_SMS_REPORT_URL ??
    `http://127.0.0.1:${startConfig.PORT}/callbacks/africas-talking`,
});

/** The images of the demo's promos. */
const demoImages = fileURLToPath(new URL('./start/images', import.meta.url));

/** The settings that the separate processes read from their environment. */
const configFor = (
  startConfig: StartConfig,
  secrets: Secrets,
  backing: BackingServices,
): ApiConfig =>
  readApiConfigWith({
    ...secrets,
    ...backing.settings,
    LOG_LEVEL: startConfig.LOG_LEVEL,
    HOST: startConfig.HOST,
    PORT: String(startConfig.PORT),
    // No load balancer stands before it, and no release comes after it.
    DRAIN_SECONDS: '0',
    TEMPORAL_BUILD_ID: '',
    TEMPORAL_UI_URL: backing.temporalUiUrl,
    PROMO_IMAGE_FOLDER: startConfig.PROMO_IMAGE_FOLDER ?? demoImages,
    ...(startConfig.ENVIRONMENT === 'test'
      ? { WEBHOOK_PRIVATE_NETWORKS: startConfig.WEBHOOK_PRIVATE_NETWORKS }
      : {}),
  });

async function writeDemo(startConfig: StartConfig, config: ApiConfig, addresses: StackAddresses) {
  const existing = await readDemoFile(startConfig.DATA_DIR);
  const database = connectDatabase(config.DATABASE_URL, { poolSize: 1 });
  try {
    const digests = createDigests(config.DIGEST_KEY, config.DIGEST_KEYS);
    // The file may belong to another database.
    const isKnown = existing && (await isDemoKey(database, digests, existing));
    const access = isKnown
      ? existing
      : await makeDemoData(database, {
          digests,
          keyCopies: keyCopiesOf(config),
          environment: config.ENVIRONMENT,
        });
    const demo = await writeDemoFile(startConfig.DATA_DIR, access, addresses);
    await makeDemoAccounts(database, digests, demo);
    return demo;
  } finally {
    await database.destroy();
  }
}

// `npm start`: the whole stack on one machine (design 2). It uses the servers that the settings
// name and starts the rest: PostgreSQL, the Temporal server with its UI, the sandbox, worker and
// API.
await runProcess(async () => {
  const startConfig = readStartConfig();
  const progress = createProgress();
  const stops = createStops();
  try {
    const { ended } = await start(startConfig, progress, stops);
    return { ended, stop: () => progress.step('Stopping', () => stops.run()) };
  } catch (error) {
    await stops.run();
    throw error;
  }
});
