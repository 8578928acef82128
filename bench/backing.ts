import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { readConfig, readStartConfig } from '../src/config.js';
import { migrateToLatest } from '../src/db/migrate.js';
import { freePort } from '../src/embedded/port.js';
import type { Progress } from '../src/embedded/progress.js';
import { startBackingServices } from '../src/start/backing-services.js';
import { makeSecrets } from '../src/start/secrets.js';
import type { Stops } from '../src/start/stops.js';
import { failureConverterPath } from '../src/temporal/connection.js';
import { prepareTemporal } from '../src/temporal/prepare.js';
import { sandboxDelayScale } from './slow-provider.js';

/** What the measured processes stand on. */
export interface Backing {
  /** Of the service, as in its environment; `DATABASE_URL` is a migrated database without rows. */
  readonly settings: Readonly<Record<string, string>>;
  readonly sandboxUrl: string;
  /** Workflows of the service and of the baselines. */
  readonly workflowBundlePath: string;
}

/**
 * Starts what `npm start` starts beside the service, with the same settings (PostgreSQL with fsync,
 * the Temporal server with a file), on free ports and a folder of its own below `TMPDIR`.
 */
export async function startBacking(progress: Progress, stops: Stops): Promise<Backing> {
  const directory = await mkdtemp(join(tmpdir(), 'voucher-topup-service-bench-'));
  stops.add(() => rm(directory, { recursive: true, force: true }));
  const secrets = makeSecrets();
  const { TEMPORAL_CLI_PATH, XDG_CACHE_HOME } = process.env;
  // Nothing else of the environment: a DATABASE_URL there is no place for a benchmark's rows.
  const startConfig = readStartConfig({
    TEMPORAL_CLI_PATH,
    XDG_CACHE_HOME,
    DATA_DIR: directory,
    DATABASE_PORT: '0',
    SANDBOX_PORT: '0',
    SANDBOX_DELAY_SCALE: String(sandboxDelayScale),
    CODEC_SERVER_PORT: '0',
    TEMPORAL_PORT: '0',
    TEMPORAL_UI_PORT: String(await freePort()),
  });
  const backing = await startBackingServices(startConfig, secrets, progress, stops);
  const settings = { ...secrets, ...backing.settings };
  const config = readConfig(settings);
  await progress.step('Migrations and workflow bundle', async () => {
    await migrateToLatest(config.DATABASE_URL);
    await prepareTemporal({
      address: config.TEMPORAL_ADDRESS,
      namespace: config.TEMPORAL_NAMESPACE,
    });
    await bundleWorkflows(join(directory, 'workflow-bundle.js'));
  });
  return {
    settings,
    sandboxUrl: backing.sandboxUrl,
    workflowBundlePath: join(directory, 'workflow-bundle.js'),
  };
}

async function bundleWorkflows(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    logger: new DefaultLogger('WARN'),
    workflowsPath: fileURLToPath(new URL('./workflows/index.ts', import.meta.url)),
    failureConverterPath,
  });
  await writeFile(file, code);
}
