import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Progress } from '../process/progress.ts';
import { freePort } from './port.ts';
import {
  clusterDirectory,
  initialiseCluster,
  openCluster,
  type PostgresCluster,
} from './postgres-cluster.ts';
import { commandLine } from './process-identity.ts';

export interface PostgresOptions {
  /** Created on first use; the password is beside it, in a file named `<folder>.password`. */
  readonly dataDirectory: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Further PostgreSQL settings, such as `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly progress: Progress;
}

export interface RunningPostgres {
  /** Of the database `postgres`, as its superuser. */
  readonly url: string;
  /** Whether the orphaned server of an earlier start is used. */
  readonly adopted: boolean;
  readonly pid: number;
  /** Closes connections and stops the server. */
  stop(): Promise<void>;
}

/** Tuned for two cores shared with Temporal and the service. */
const DEFAULT_SETTINGS = {
  listen_addresses: '127.0.0.1',
  // A socket's path is limited to 107 bytes, and sockets are not needed.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  jit: 'off',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** The running server of the cluster, by its pid file and its command line. */
async function runningServer(
  cluster: Pick<PostgresCluster, 'directory'>,
): Promise<{ pid: number; port: number } | undefined> {
  const file = join(cluster.directory, 'postmaster.pid');
  const [pid, , , port] = (await readFile(file, 'utf8').catch(() => '')).split('\n').map(Number);
  if (!pid || !port) return undefined;
  if ((await commandLine(pid))?.includes(` -D ${cluster.directory} `)) return { pid, port };
  // The process id now belongs to another process, which PostgreSQL would take for a server.
  await rm(file, { force: true });
  return undefined;
}

/** The running server of a data folder, which may be the orphan of a killed start. */
export const findRunningPostgres = async (dataDirectory: string) =>
  runningServer({ directory: await clusterDirectory(dataDirectory) });

const urlOf = (cluster: PostgresCluster, port: number) =>
  `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;

/** Waits for a starting server; returns whether it accepts us. */
async function answers(cluster: PostgresCluster, port: number): Promise<boolean> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline && (await runningServer(cluster)) !== undefined) {
    const client = new pg.Client({
      connectionString: urlOf(cluster, port),
      connectionTimeoutMillis: 5_000,
    });
    // connect() reports a broken connection; without a listener it would end the process.
    client.on('error', () => undefined);
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (connected) return true;
    await sleep(200);
  }
  return false;
}

async function stopServer(cluster: PostgresCluster): Promise<void> {
  for (const mode of ['fast', 'immediate']) {
    if ((await runningServer(cluster)) === undefined) return;
    const commandArguments = ['stop', '-D', cluster.directory, '-m', mode, '-w', '-t', '30'];
    await cluster.account.run(cluster.programs.pgCtl, commandArguments);
  }
  const server = await runningServer(cluster);
  if (server) throw new Error(`PostgreSQL (process ${server.pid}) does not stop`);
}

/** Starts the server and waits until it is ready. Returns its process id. */
async function startServer(
  cluster: PostgresCluster,
  port: number,
  settings: Record<string, string>,
): Promise<number> {
  const options = Object.entries({ ...settings, port: `${port}` });
  const log = join(cluster.directory, 'server.log');
  const { exitCode } = await cluster.account.run(cluster.programs.pgCtl, [
    'start',
    '-w',
    ...['-t', '120'],
    ...['-D', cluster.directory],
    ...['-l', log],
    ...['-o', options.map(([name, value]) => `-c ${quote(`${name}=${value}`)}`).join(' ')],
  ]);
  const server = exitCode === 0 ? await runningServer(cluster) : undefined;
  if (server) return server.pid;
  const lastLines = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-10);
  throw new Error(`PostgreSQL did not start. The end of ${log}:\n${lastLines.join('\n')}`);
}

/**
 * Starts a PostgreSQL server on a data folder, which it creates on first use, on loopback only. The
 * server is not a child process: it survives a killed start. The next start adopts it if its port
 * is still the configured one, and stops it otherwise.
 *
 * @throws when the server does not start
 */
export function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  return options.progress.step('PostgreSQL', async (note) => {
    const settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const cluster = await openCluster(options.dataDirectory);
    const stop = () => stopServer(cluster);

    const orphan = await runningServer(cluster);
    if (orphan && (options.port === 0 || options.port === orphan.port)) {
      note('waiting for the server of an earlier start');
      if (await answers(cluster, orphan.port)) {
        return { url: urlOf(cluster, orphan.port), adopted: true, pid: orphan.pid, stop };
      }
    }
    await stopServer(cluster);

    note('making the databases');
    await initialiseCluster(cluster, options.settings?.fsync !== 'off');
    note('starting');
    const port = options.port === 0 ? await freePort() : options.port;
    const pid = await startServer(cluster, port, settings);
    return { url: urlOf(cluster, port), adopted: false, pid, stop };
  });
}

/** Stops the server of a data folder, if it is running. */
export async function stopPostgres(dataDirectory: string): Promise<void> {
  await stopServer(await openCluster(dataDirectory));
}
