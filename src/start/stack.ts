import { fileURLToPath } from 'node:url';
import {
  type ApiConfig,
  readApiConfigWith,
  readStartConfig,
  type StartConfig,
} from '../config/config.ts';
import { localPortsOf } from '../config/local-ports.ts';
import { writeProviderSettings } from '../config/local-stack.ts';
import { createDigests } from '../crypto/digests.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { connectDatabase } from '../db/connection.ts';
import { migrateToLatest } from '../db/migrate.ts';
import type { Progress } from '../process/progress.ts';
import { prepareTemporal } from '../temporal/prepare.ts';
import { temporalServerOf } from '../temporal/temporal-server.ts';
import { type BackingServices, startBackingServices } from './backing-services.ts';
import { claimPlace } from './claim-place.ts';
import { makeDemoAccounts } from './demo-accounts.ts';
import { isDemoKey, makeDemoData } from './demo-data.ts';
import { readDemoFile, type StackAddresses, writeDemoFile } from './demo-file.ts';
import { logLine } from './log-lines.ts';
import { makeProcessLogins } from './process-logins.ts';
import { readOrMakeSecrets, type Secrets } from './secrets.ts';
import type { Stops } from './stops.ts';
import { together } from './together.ts';
import { welcome } from './welcome.ts';

/**
 * Starts everything; the inner promise settles if the worker stops by itself. What does not need each
 * other goes on at the same time: the servers start while the service is loaded, and the demo data is
 * made while the service starts.
 */
export async function startStack(
  progress: Progress,
  stops: Stops,
): Promise<{ readonly ended: Promise<void> }> {
  const startConfig = readStartConfig();
  stops.add(await claimPlace(startConfig));
  const secrets = await readOrMakeSecrets(startConfig.DATA_DIR);
  const [backing, code] = await together([
    startBackingServices(withReports(startConfig), secrets, progress, stops),
    progress.step('Code of the service', () => loadService(startConfig)),
  ]);
  await writeProviderSettings(startConfig.DATA_DIR, backing.settings);
  const config = configFor(startConfig, secrets, backing, code);

  await progress.step('Migrations', () =>
    Promise.all([migrateToLatest(config.DATABASE_URL), prepareTemporal(temporalServerOf(config))]),
  );
  // People read it, so its log is no JSON among the lines of the steps.
  const observation = await code.startObservation(config, 'start', {
    write: (line) => progress.print(logLine(line)),
  });
  stops.add(observation.stop);
  const logins = await processAddresses(startConfig, config);
  const [service, demo] = await together([
    progress.step('Worker and API', async () => {
      const started = await code.startService({ ...config, ...logins }, observation);
      stops.add(started.stop);
      return started;
    }),
    progress.step('Demo data', () =>
      writeDemo(startConfig, config, addressesOf(config, backing), code.keyCopiesOf(config)),
    ),
  ]);
  process.stdout.write(welcome(demo, startConfig.DATA_DIR));
  return { ended: service.ended };
}

/** The bundle of the workflows, and the modules that the servers do not need. */
async function loadService({ DATA_DIR }: StartConfig) {
  const [{ startService }, { keyCopiesOf }, { startObservation }, { keptWorkflowBundle }] =
    await Promise.all([
      import('../service.ts'),
      import('../api.ts'),
      import('../process/observation.ts'),
      import('./workflow-bundle.ts'),
    ]);
  const workflowBundle = await keptWorkflowBundle(DATA_DIR);
  return { startService, keyCopiesOf, startObservation, workflowBundle };
}

/** Where people and the demo find the started stack. */
const addressesOf = (config: ApiConfig, backing: BackingServices): StackAddresses => ({
  api: `http://localhost:${config.PORT}`,
  sandboxUrl: backing.sandboxUrl,
  temporalUiUrl: backing.temporalUiUrl,
  temporalAddress: config.TEMPORAL_ADDRESS,
});

/** On our own PostgreSQL each part of the service has its own rights; a server that a setting names stays as it is. */
const processAddresses = async (startConfig: StartConfig, { DATABASE_URL }: ApiConfig) =>
  startConfig.DATABASE_URL === undefined ? makeProcessLogins(DATABASE_URL) : {};

/** The sandbox reports deliveries to the API of this start. */
const withReports = (startConfig: StartConfig): StartConfig => ({
  ...startConfig,
  SANDBOX_SMS_REPORT_URL:
    startConfig.SANDBOX_SMS_REPORT_URL ??
    `http://127.0.0.1:${localPortsOf(startConfig).api}/callbacks/africas-talking`,
});

/** The images of the demo's promos. */
const demoImages = fileURLToPath(new URL('./images', import.meta.url));

/** The settings that the separate processes read from their environment. */
const configFor = (
  startConfig: StartConfig,
  secrets: Secrets,
  backing: BackingServices,
  { workflowBundle }: { readonly workflowBundle: string },
): ApiConfig => {
  const ports = localPortsOf(startConfig);
  return readApiConfigWith({
    ...secrets,
    ...backing.settings,
    LOG_LEVEL: startConfig.LOG_LEVEL,
    HOST: startConfig.HOST,
    PORT: String(ports.api),
    METRICS_PORT: ports.metrics === undefined ? '' : String(ports.metrics),
    // No load balancer stands before it, and no release comes after it.
    DRAIN_SECONDS: '0',
    TEMPORAL_BUILD_ID: '',
    TEMPORAL_UI_URL: backing.temporalUiUrl,
    WORKFLOW_BUNDLE: workflowBundle,
    PROMO_IMAGE_FOLDER: startConfig.PROMO_IMAGE_FOLDER ?? demoImages,
    ...(startConfig.ENVIRONMENT === 'test'
      ? { WEBHOOK_PRIVATE_NETWORKS: startConfig.WEBHOOK_PRIVATE_NETWORKS }
      : {}),
  });
};

async function writeDemo(
  startConfig: StartConfig,
  config: ApiConfig,
  addresses: StackAddresses,
  keyCopies: SecretBox | undefined,
) {
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
          keyCopies,
          environment: config.ENVIRONMENT,
        });
    const demo = await writeDemoFile(startConfig.DATA_DIR, access, addresses);
    await makeDemoAccounts(database, digests, demo);
    return demo;
  } finally {
    await database.destroy();
  }
}
