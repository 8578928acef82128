import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ApiConfig,
  readApiConfigWith,
  readStartConfig,
  type StartConfig,
} from '../../config/config.ts';
import { localPortsOf } from '../../config/local-ports.ts';
import { writeProviderSettings } from '../../config/local-stack.ts';
import { inCamelCase } from '../../config/setting-names.ts';
import { createDigests } from '../../crypto/digests.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import { connectDatabase } from '../../db/connection.ts';
import { migrateToLatest } from '../../db/migrate.ts';
import type { Progress } from '../../runtime/process/progress.ts';
import { prepareTemporal } from '../../runtime/temporal/schedules.ts';
import { temporalServerOf } from '../../runtime/temporal/temporal-server.ts';
import { writeWorkflowBundle } from '../../runtime/temporal/workflow-bundle.ts';
import {
  type BackingServices,
  makeProcessLogins,
  readOrMakeSecrets,
  type Secrets,
  startBackingServices,
} from './backing-services.ts';
import { claimPlace } from './claim-place.ts';
import {
  isDemoKey,
  makeDemoAccounts,
  makeDemoData,
  readDemoFile,
  type StackAddresses,
  writeDemoFile,
} from './demo-data.ts';
import { type Stops, together } from './stops.ts';
import { logLine, welcome } from './welcome.ts';

/**
 * Starts everything; the inner promise settles if the worker stops by itself. Independent parts
 * start at the same time: the servers start while the service is loaded, and the demo data is made
 * while the service starts.
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
    Promise.all([
      migrateToLatest(config.database.databaseUrl),
      prepareTemporal(temporalServerOf(config.temporal)),
    ]),
  );
  // People read it, so its log is no JSON among the lines of the steps.
  const observation = await code.startObservation(config, 'start', {
    write: (line) => progress.print(logLine(line)),
  });
  stops.add(observation.stop);
  const database = await withProcessLogins(startConfig, config);
  const [service, demo] = await together([
    progress.step('Worker and API', async () => {
      const started = await code.startService({ ...config, database }, observation);
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
  const [{ startService }, { keyCopiesOf }, { startObservation }] = await Promise.all([
    import('../../service.ts'),
    import('../../api.ts'),
    import('../../runtime/process/observation.ts'),
  ]);
  const workflowBundle = await keptWorkflowBundle(DATA_DIR);
  return { startService, keyCopiesOf, startObservation, workflowBundle };
}

/** Where people and the demo find the started stack. */
const addressesOf = (config: ApiConfig, backing: BackingServices): StackAddresses => ({
  api: `http://localhost:${config.http.port}`,
  sandboxUrl: backing.sandboxUrl,
  temporalUiUrl: backing.temporalUiUrl,
  temporalAddress: config.temporal.temporalAddress,
});

/** On our own PostgreSQL each part of the service has its own rights; a server that a setting names stays as it is. */
const withProcessLogins = async (
  startConfig: StartConfig,
  { database }: ApiConfig,
): Promise<ApiConfig['database']> => {
  if (startConfig.DATABASE_URL !== undefined) return database;
  return { ...database, ...inCamelCase(await makeProcessLogins(database.databaseUrl)) };
};

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
    ...(startConfig.ENVIRONMENT === 'test' && {
      WEBHOOK_PRIVATE_NETWORKS: startConfig.WEBHOOK_PRIVATE_NETWORKS,
    }),
  });
};

async function writeDemo(
  startConfig: StartConfig,
  config: ApiConfig,
  addresses: StackAddresses,
  keyCopies: SecretBox | undefined,
) {
  const existing = await readDemoFile(startConfig.DATA_DIR);
  const database = connectDatabase(config.database.databaseUrl, { poolSize: 1 });
  try {
    const digests = createDigests(config.secrets);
    // The file may belong to another database.
    const isKnown = existing && (await isDemoKey(database, digests, existing));
    const access = isKnown
      ? existing
      : await makeDemoData(database, {
          digests,
          keyCopies,
          environment: config.process.environment,
        });
    const demo = await writeDemoFile(startConfig.DATA_DIR, access, addresses);
    await makeDemoAccounts(database, digests, demo);
    return demo;
  } finally {
    await database.destroy();
  }
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Whatever a workflow could import, and the lock file for the packages. */
const SOURCES = ['src', 'workflows', 'activities', 'package-lock.json'];
const NAME = /^workflows-[0-9a-f]+\.js$/;

/**
 * The file of the bundled workflows in the data folder. Bundling takes seconds, so a bundle is kept for
 * as long as no source has changed.
 */
async function keptWorkflowBundle(dataDirectory: string): Promise<string> {
  const name = `workflows-${await digestOfSources()}.js`;
  const file = resolve(dataDirectory, name);
  const kept = (await readdir(dataDirectory)).filter((one) => NAME.test(one));
  if (kept.includes(name)) return file;
  // An interrupted start leaves no half of a bundle under its name.
  await writeWorkflowBundle(`${file}.unfinished`);
  await rename(`${file}.unfinished`, file);
  for (const old of kept) await rm(join(dataDirectory, old), { force: true });
  return file;
}

async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES)
    for (const file of await filesOf(source))
      hash.update(`${file}\0`).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 32);
}

/** All files of a folder in a fixed order, or a file itself. */
async function filesOf(source: string): Promise<string[]> {
  if (source.includes('.')) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
