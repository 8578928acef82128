import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { Progress } from '../runtime/process/progress.ts';
import { takesConnections } from '../runtime/temporal/temporal-server.ts';
import { commandLine, freePort, readProcessRecord, stopProcess } from './processes.ts';

interface TemporalArguments {
  /** 0 selects a free port. */
  readonly port: number;
  /** Without it there is no UI. */
  readonly uiPort?: number | undefined;
  /** Without it the server keeps everything in memory. */
  readonly databaseFile?: string | undefined;
  /** The codec server of the UI. */
  readonly codecEndpoint?: string | undefined;
  /** Created in addition to `default`. */
  readonly namespaces?: readonly string[];
  /** Settings of the server in addition to the service's. */
  readonly dynamicConfig?: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Tuned for low latency on one small machine; with the defaults a workflow of one step takes 150
 * ms.
 */
const DYNAMIC_CONFIG = {
  // One partition: with four, a task can wait in one while workers poll another.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // The default of 20 polls a second for the only shard makes each step of a workflow wait 50 ms.
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  // Repetitions of a redemption wait on one workflow; the default refuses the eleventh.
  'history.maxInFlightUpdates': 1000,
};

/** The command line of the development server, listening on loopback only. */
export function temporalArguments(options: TemporalArguments): string[] {
  const { port, uiPort, databaseFile, codecEndpoint, namespaces = [] } = options;
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--log-level', 'warn'],
    ...['--disable-config-file', '--disable-config-env'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', `${uiPort}`]),
    ...(uiPort === undefined || codecEndpoint === undefined
      ? []
      : ['--ui-codec-endpoint', codecEndpoint]),
    ...(databaseFile === undefined
      ? []
      : [
          ...['--db-filename', databaseFile],
          ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1'],
        ]),
    ...namespaces.flatMap((name) => ['--namespace', name]),
    ...Object.entries({ ...DYNAMIC_CONFIG, ...options.dynamicConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}

/**
 * Prepares for a database file that the server may have to create. A marker file exists during the
 * creation. If an earlier start left the marker, its server was stopped before the file was used,
 * and an incomplete schema would prevent every start; so the file is deleted.
 *
 * @returns `finish`, to be called when the server is ready
 */
async function beginTemporalDatabase(databaseFile: string): Promise<{ finish(): Promise<void> }> {
  const mark = `${databaseFile}.unfinished`;
  if (existsSync(mark)) {
    for (const suffix of ['', '-wal', '-shm']) await rm(databaseFile + suffix, { force: true });
  }
  if (!existsSync(databaseFile)) await writeFile(mark, '', { mode: 0o600 });
  return { finish: () => rm(mark, { force: true }) };
}

export interface TemporalProcess {
  readonly pid: number;
  hasEnded(): boolean;
  /** Records the current command line, which a wrapper may have changed. */
  recordCommand(): Promise<void>;
  /** SIGKILL follows SIGTERM after `graceSeconds`, by default ten. */
  stop(graceSeconds?: number): Promise<void>;
}

const GRACE_SECONDS = 10;

const pidFile = (directory: string) => join(directory, 'temporal.pid');
const logFile = (directory: string) => join(directory, 'temporal.log');

/** The last lines of the server's log. */
export async function temporalLogEnd(directory: string): Promise<string> {
  const log = await readFile(logFile(directory), 'utf8').catch(() => '');
  return `The end of ${logFile(directory)}:\n${log.trim().split('\n').slice(-10).join('\n')}`;
}

/**
 * Stops the orphaned server of a killed start. The pid file contains the server's whole command
 * line, so that no other process is mistaken for it.
 */
export async function stopOrphanedTemporal(directory: string): Promise<void> {
  const record = await readProcessRecord(pidFile(directory));
  if (record) await stopProcess(record, { graceSeconds: GRACE_SECONDS, group: true });
  await rm(pidFile(directory), { force: true });
}

/**
 * Starts the server in a separate session, since Ctrl-C must not reach it before its clients have
 * stopped. Its output goes to a file, so that it does not depend on us.
 */
export async function launchTemporal(
  binary: string,
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<TemporalProcess> {
  // It must write nothing to the user's home and check for no updates. `sh` and `env` exec the
  // server.
  const variables = [
    ...[`HOME=${directory}`, 'TEMPORAL_VERSION_CHECK_DISABLED=1'],
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ];
  const log = openSync(logFile(directory), 'a', 0o600);
  // Its database contains every workflow, so its files are readable only by this account.
  const script = 'umask 077 && exec env "$@"';
  const child = spawn('sh', ['-c', script, 'sh', ...variables, binary, ...words], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await once(child, 'spawn');
  child.unref();
  const pid = child.pid ?? 0;

  let command = [binary, ...words].join(' ');
  const record = () =>
    writeFileSync(pidFile(directory), JSON.stringify({ pid, command }), { mode: 0o600 });
  record();
  return {
    pid,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async recordCommand() {
      command = (await commandLine(pid)) ?? command;
      record();
    },
    async stop(graceSeconds = GRACE_SECONDS) {
      await stopProcess({ pid, command }, { graceSeconds, group: true });
      await rm(pidFile(directory), { force: true });
    },
  };
}

interface TemporalServerOptions extends Omit<TemporalArguments, 'databaseFile'> {
  /** The Temporal CLI, from `findTemporalBinary`. */
  readonly binary: string;
  /** Contains the pid file, the log and, unless `inMemory`, the database `temporal.db`. */
  readonly directory: string;
  readonly inMemory?: boolean;
  readonly progress: Progress;
}

export interface RunningTemporalServer {
  /** `host:port` of the gRPC service. */
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A server in memory keeps all workflows on its heap: fewer searches of it save a tenth of its CPU. */
const RARE_COLLECTION = { GOGC: '400' };

const READY_SECONDS = 60;
const LOOK_MS = 50;

/**
 * Waits until the server answers for a namespace.
 *
 * @throws an Error when the server has ended, or does not answer within a minute
 */
export async function waitUntilReady(
  server: TemporalProcess,
  address: string,
  namespace: string,
): Promise<void> {
  const deadline = Date.now() + READY_SECONDS * 1000;
  let reason: unknown;
  while (Date.now() < deadline) {
    if (server.hasEnded()) throw new Error('it ended');
    // A connection that gRPC was refused once is tried again only after a second.
    if (!(await takesConnections(address))) {
      await sleep(LOOK_MS);
      continue;
    }
    try {
      const connection = await Connection.connect({ address, connectTimeout: '1s' });
      try {
        await connection.withDeadline(Date.now() + 5_000, () =>
          connection.workflowService.describeNamespace({ namespace }),
        );
        return;
      } finally {
        await connection.close();
      }
    } catch (error) {
      reason = error;
      await sleep(LOOK_MS);
    }
  }
  throw new Error(`it was not ready after ${READY_SECONDS} s`, { cause: reason });
}

/**
 * Starts Temporal's development server. It survives a killed start; the next start in this folder
 * stops it and starts it again, because its settings may have changed.
 *
 * @throws when it does not start
 */
export function startTemporalServer(
  options: TemporalServerOptions,
): Promise<RunningTemporalServer> {
  return options.progress.step('Temporal server', async () => {
    const { inMemory = false, namespaces } = options;
    await mkdir(options.directory, { recursive: true });
    const directory = await realpath(options.directory);
    await stopOrphanedTemporal(directory);
    const port = options.port === 0 ? await freePort() : options.port;
    const databaseFile = inMemory ? undefined : join(directory, 'temporal.db');
    const database = databaseFile && (await beginTemporalDatabase(databaseFile));
    const server = await launchTemporal(
      options.binary,
      temporalArguments({ ...options, port, databaseFile }),
      directory,
      inMemory ? RARE_COLLECTION : {},
    );

    const address = `127.0.0.1:${port}`;
    try {
      await waitUntilReady(server, address, namespaces?.at(-1) ?? 'default');
      await server.recordCommand();
      if (database) await database.finish();
    } catch (error) {
      await server.stop(0);
      const { message } = error as Error;
      const end = await temporalLogEnd(directory);
      throw new Error(`The Temporal server did not start: ${message}\n${end}`, { cause: error });
    }
    return {
      address,
      pid: server.pid,
      // A server in memory has nothing to save.
      stop: () => server.stop(inMemory ? 0 : undefined),
    };
  });
}
