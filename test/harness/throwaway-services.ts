import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, readStartConfig, type StartConfig } from '../../src/config/config.ts';
import { PORTS_IN_A_ROW } from '../../src/config/local-ports.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { freePorts } from '../../src/local/processes.ts';
import { makeSecrets, startBackingServices } from '../../src/local/start/backing-services.ts';
import type { Stops } from '../../src/local/start/stops.ts';
import { stopOrphanedTemporal } from '../../src/local/temporal-server.ts';
import type { Progress } from '../../src/runtime/process/progress.ts';
import { prepareTemporal } from '../../src/runtime/temporal/schedules.ts';
import {
  type ReleasedTemporal,
  startReleasedTemporal,
  wantsReleasedTemporal,
} from '../support/released-temporal/start-server.ts';
import { environmentOf } from './environment-of.ts';

/** What `npm start` starts beside the service, for one run. */
export interface ThrowawayServices {
  /** Of the service, as in its environment; `DATABASE_URL` is a migrated database without rows. */
  readonly settings: Readonly<Record<string, string>>;
  readonly sandboxUrl: string;
  /** The folder of this run; it goes when the run ends. */
  readonly directory: string;
  /** What the servers were started with. */
  readonly startConfig: StartConfig;
  /** The Temporal server where it is that of production, and not the development server. */
  readonly releasedTemporal: ReleasedTemporal | undefined;
}

/**
 * Starts what `npm start` starts beside the service, with the same settings (PostgreSQL with fsync,
 * the Temporal server with a file), on free ports and a folder of its own below `TMPDIR`.
 */
export async function startThrowawayServices(
  options: {
    readonly name: string;
    readonly sandboxDelayScale: number;
    /** The port of the service, which the sandbox sends its callbacks to. */
    readonly port: number;
    /** Whether the sandbox reports there which messages have arrived. */
    readonly reportsMessages?: true;
    /** Further settings of PostgreSQL. */
    readonly postgresSettings?: Readonly<Record<string, string>>;
  },
  progress: Progress,
  stops: Stops,
): Promise<ThrowawayServices> {
  const directory = await mkdtemp(join(tmpdir(), `voucher-topup-service-${options.name}-`));
  stops.add(() => rm(directory, { recursive: true, force: true }));
  const secrets = makeSecrets();
  const { TEMPORAL_CLI_PATH, XDG_CACHE_HOME } = process.env;
  const releasedTemporal = wantsReleasedTemporal()
    ? await startReleasedTemporal({ directory, progress })
    : undefined;
  if (releasedTemporal) stops.add(releasedTemporal.stop);
  // Nothing else of the environment: a DATABASE_URL there is no place for the rows of a run.
  const startConfig = readStartConfig(
    environmentOf({
      TEMPORAL_CLI_PATH,
      XDG_CACHE_HOME,
      DATA_DIR: directory,
      PORT: String(options.port),
      ...(options.reportsMessages && {
        SANDBOX_SMS_REPORT_URL: `http://127.0.0.1:${options.port}/callbacks/africas-talking`,
      }),
      PORT_BASE: String(await freePorts(PORTS_IN_A_ROW)),
      SANDBOX_DELAY_SCALE: String(options.sandboxDelayScale),
      TEMPORAL_ADDRESS: releasedTemporal?.address,
    }),
  );
  const backing = await startBackingServices(
    startConfig,
    secrets,
    progress,
    stops,
    options.postgresSettings,
  );
  // Before those of the first start, which know nothing of a server that was killed and started
  // again, and would take away the file that names it.
  stops.add(() => stopOrphanedTemporal(directory));
  const settings = { ...secrets, ...backing.settings };
  const config = readConfig(settings);
  await progress.step('Migrations', async () => {
    await migrateToLatest(config.database.databaseUrl);
    await prepareTemporal({
      address: config.temporal.temporalAddress,
      namespace: config.temporal.temporalNamespace,
    });
  });
  return { settings, sandboxUrl: backing.sandboxUrl, directory, startConfig, releasedTemporal };
}
