import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { readStartConfig } from '../../src/config/config.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { groupRole } from '../../src/db/rights/roles.ts';
import { type ProcessRole, processRoles } from '../../src/db/rights/table-rights.ts';
import { claimDataDirectory, DataDirectoryInUseError } from '../../src/local/data-directory.ts';
import {
  type RunningPostgres,
  startPostgres,
  stopPostgres,
  withSession,
} from '../../src/local/postgres.ts';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import { startTemporalServer, stopOrphanedTemporal } from '../../src/local/temporal-server.ts';
import { createProgress, type Progress } from '../../src/runtime/process/progress.ts';
import { prepareTemporal } from '../../src/runtime/temporal/schedules.ts';
import { writeWorkflowBundle } from '../../src/runtime/temporal/workflow-bundle.ts';
import { startReleasedTemporal, wantsReleasedTemporal } from './released-temporal/start-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** PostgreSQL as superuser, database `postgres`: to make databases. */
    databaseAdminUrl: string;
    /** A migrated database without rows, to be copied by `create database … template`. */
    templateDatabase: string;
    /** A login for each process, with its rights on all copies of the template. */
    processLogins: Readonly<Record<ProcessRole, ProcessLogin>>;
    temporalAddress: string;
    /** Code for `Worker.create({ workflowBundle: { codePath } })`. */
    workflowBundlePath: string;
  }
}

interface ProcessLogin {
  readonly name: string;
  readonly password: string;
}

const PREFIX = 'voucher-topup-service-test-';
const TEMPLATE_DATABASE = 'template_service';

/** A folder in the machine's memory: each stack makes a database of a thousand files, and drops it. */
const MEMORY_FOLDER = '/dev/shm';
/** A run uses less than two gigabytes at a time. */
const ROOM_IN_MEMORY = 8 * 1024 ** 3;

/** The folder for the servers' data. */
async function dataParent(): Promise<string> {
  const room = await statfs(MEMORY_FOLDER).catch(() => undefined);
  return room && room.bavail * room.bsize >= ROOM_IN_MEMORY ? MEMORY_FOLDER : tmpdir();
}

/**
 * A workflow is deleted once its shard has noted that it is closed, which is every 30 seconds by
 * default. A timer, and a pause before another attempt, may be up to a second late by default.
 */
const QUICK_QUEUES = {
  'history.transferProcessorUpdateAckInterval': '200ms',
  'history.visibilityProcessorUpdateAckInterval': '200ms',
  'history.timerProcessorMaxTimeShift': '10ms',
};

/** Nothing in a test's database has to outlive the machine. */
const VOLATILE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Each stack logs in a dozen times, and would prove its password by 4,096 rounds. */
const QUICK_LOGINS = { scram_iterations: '1' };

/** Stops and deletes what test runs that were killed have left. */
async function removeCrashedRuns(): Promise<void> {
  const runsIn = async (folder: string) => {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));
  };
  for (const directory of [...(await runsIn(MEMORY_FOLDER)), ...(await runsIn(tmpdir()))]) {
    const found = await stat(directory).catch(() => undefined);
    // Another run may have removed it; one that was just made may not be claimed yet.
    if (found?.uid !== process.getuid?.() || Date.now() - (found?.mtimeMs ?? 0) < 60_000) continue;
    try {
      await claimDataDirectory(directory);
    } catch (error) {
      if (error instanceof DataDirectoryInUseError) continue;
      throw error;
    }
    await stopOrphanedTemporal(directory);
    for (const name of ['postgres', 'temporal-postgres']) await stopPostgres(join(directory, name));
    await rm(directory, { recursive: true, force: true });
  }
}

async function makeTemplateDatabase(postgres: RunningPostgres): Promise<void> {
  await withSession(postgres.url, (client) => client.query(`create database ${TEMPLATE_DATABASE}`));
  const url = new URL(postgres.url);
  url.pathname = TEMPLATE_DATABASE;
  await migrateToLatest(url.href);
}

async function makeProcessLogins(postgres: RunningPostgres) {
  const logins = {} as Record<ProcessRole, ProcessLogin>;
  await withSession(postgres.url, async (client) => {
    for (const role of processRoles) {
      logins[role] = { name: `test_${role}`, password: randomUUID() };
      const { name, password } = logins[role];
      await client.query(`create role ${name} login password '${password}'
        in role ${groupRole(TEMPLATE_DATABASE, role)}`);
    }
  });
  return logins;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Starts the development server, or that of production where TEST_TEMPORAL asks for it. */
async function startTemporal(directory: string, progress: Progress) {
  const settings = { directory, dynamicConfig: QUICK_QUEUES, progress };
  if (wantsReleasedTemporal()) {
    const server = await startReleasedTemporal({ ...settings, postgresSettings: VOLATILE });
    const endAll = () => {
      for (const pid of server.pids()) kill(pid, 'SIGQUIT');
    };
    return { ...server, kill: endAll };
  }
  const { TEMPORAL_CLI_PATH: cliPath, XDG_CACHE_HOME: cacheHome } = readStartConfig();
  const binary = await findTemporalBinary({ cliPath, cacheHome, progress });
  const server = await startTemporalServer({ ...settings, binary, inMemory: true, port: 0 });
  return { ...server, kill: () => kill(server.pid, 'SIGKILL') };
}

/** Starts, once per run, the servers that the integration tests share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeCrashedRuns();
  const directory = await mkdtemp(join(await dataParent(), PREFIX));
  await claimDataDirectory(directory);
  const progress = createProgress();
  const stops: (() => Promise<void>)[] = [];
  const kills: (() => void)[] = [];
  const teardown = async () => {
    kills.length = 0;
    await Promise.all(stops.map((stop) => stop()));
    await rm(directory, { recursive: true, force: true });
  };

  const database = async () => {
    const postgres = await startPostgres({
      dataDirectory: join(directory, 'postgres'),
      port: 0,
      settings: { ...VOLATILE, ...QUICK_LOGINS },
      progress,
    });
    stops.push(postgres.stop);
    kills.push(() => kill(postgres.pid, 'SIGQUIT'));
    await progress.step('Migrations', () => makeTemplateDatabase(postgres));
    project.provide('databaseAdminUrl', postgres.url);
    project.provide('templateDatabase', TEMPLATE_DATABASE);
    project.provide('processLogins', await makeProcessLogins(postgres));
  };
  const temporal = async () => {
    const server = await startTemporal(directory, progress);
    stops.push(server.stop);
    kills.push(server.kill);
    await prepareTemporal({ address: server.address, namespace: 'default' });
    project.provide('temporalAddress', server.address);
  };
  const bundle = async () => {
    const file = join(directory, 'workflow-bundle.js');
    await progress.step('Workflow bundle', () => writeWorkflowBundle(file));
    project.provide('workflowBundlePath', file);
  };

  // Ctrl-C makes Vitest exit at once, without a teardown.
  process.once('exit', () => {
    for (const killServer of kills) killServer();
  });

  // All are awaited even when one fails, so that whatever did start is stopped.
  const results = await Promise.allSettled([database(), temporal(), bundle()]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure === undefined) return teardown;
  await teardown();
  throw failure.reason;
}
